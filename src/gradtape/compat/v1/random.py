"""`tf.compat.v1.random`: random numbers, with TensorFlow 1's arguments."""

from gradtape._src.sessions.old_operations import old_truncated_normal as _truncated_normal
from gradtape._src.sessions.old_operations import random_normal as _normal
from gradtape._src.sessions.old_operations import random_uniform as _uniform
from gradtape._src.sessions.old_operations import set_random_seed as set_random_seed

normal = _normal
truncated_normal = _truncated_normal
uniform = _uniform
