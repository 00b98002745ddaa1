"""Replaces TensorFlow's module `tensorflow.python.eager.backprop`."""

from gradtape._src.autodiff.tape import GradientTape as GradientTape
