"""`tf.test`: checking gradients."""

from gradtape._autodiff.numerical import compute_gradient as compute_gradient
