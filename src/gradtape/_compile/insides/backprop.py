"""`tensorflow.python.eager.backprop`."""

from gradtape._autodiff.tape import GradientTape as GradientTape
