"""Random numbers with NumPy's interface: `tf.experimental.numpy.random`."""

from gradtape._src.numpy.random import poisson as poisson
from gradtape._src.numpy.random import rand as rand
from gradtape._src.numpy.random import randint as randint
from gradtape._src.numpy.random import randn as randn
from gradtape._src.numpy.random import random_ as _random
from gradtape._src.numpy.random import seed as seed
from gradtape._src.numpy.random import standard_normal as standard_normal
from gradtape._src.numpy.random import uniform as uniform

random = _random
