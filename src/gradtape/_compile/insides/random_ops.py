"""`tensorflow.python.ops.random_ops`."""

from gradtape._ops.random import categorical as categorical
from gradtape._ops.random import gamma as random_gamma
from gradtape._ops.random import normal as random_normal
from gradtape._ops.random import poisson as random_poisson_v2
from gradtape._ops.random import shuffle as random_shuffle
from gradtape._ops.random import truncated_normal as truncated_normal
from gradtape._ops.random import uniform as random_uniform
