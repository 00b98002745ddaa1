"""`tf.experimental.numpy.random`."""

from gradtape._numpy.random import poisson as poisson
from gradtape._numpy.random import rand as rand
from gradtape._numpy.random import randint as randint
from gradtape._numpy.random import randn as randn
from gradtape._numpy.random import random_ as random
from gradtape._numpy.random import seed as seed
from gradtape._numpy.random import standard_normal as standard_normal
from gradtape._numpy.random import uniform as uniform
