"""Replaces TensorFlow's module `tensorflow.python.ops.random_ops`."""

from gradtape._src.ops.random.distributions import categorical as categorical
from gradtape._src.ops.random.distributions import gamma as random_gamma
from gradtape._src.ops.random.distributions import normal as random_normal
from gradtape._src.ops.random.distributions import poisson as random_poisson_v2
from gradtape._src.ops.random.distributions import shuffle as random_shuffle
from gradtape._src.ops.random.distributions import truncated_normal as truncated_normal
from gradtape._src.ops.random.distributions import uniform as random_uniform
