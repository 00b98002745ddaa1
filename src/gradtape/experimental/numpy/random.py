"""`tf.experimental.numpy.random`."""

from gradtape._ops.tnp_random import poisson as poisson
from gradtape._ops.tnp_random import rand as rand
from gradtape._ops.tnp_random import randint as randint
from gradtape._ops.tnp_random import randn as randn
from gradtape._ops.tnp_random import random_ as random
from gradtape._ops.tnp_random import seed as seed
from gradtape._ops.tnp_random import standard_normal as standard_normal
from gradtape._ops.tnp_random import uniform as uniform
