"""`tf.config.optimizer`."""

from gradtape._compile.config import get_jit as get_jit
from gradtape._compile.config import set_jit as set_jit
