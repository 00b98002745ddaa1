"""Losses with weights and reductions: `tf.compat.v1.losses`."""

from gradtape._src.compat.v1_losses import Reduction as Reduction
from gradtape._src.compat.v1_losses import softmax_cross_entropy as softmax_cross_entropy
