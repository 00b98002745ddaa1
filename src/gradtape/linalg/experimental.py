"""Iterative solutions of linear systems: `tf.linalg.experimental`."""

from gradtape._src.ops.control.conjugate_gradient import conjugate_gradient as conjugate_gradient
