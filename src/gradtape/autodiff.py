"""`tf.autodiff`: forward-mode differentiation."""

from gradtape._autodiff.forward import ForwardAccumulator as ForwardAccumulator
from gradtape._autodiff.tape import GradientTape as GradientTape
