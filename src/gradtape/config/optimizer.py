"""Settings of the compiler: `tf.config.optimizer`."""

from gradtape._src.compat.config import get_experimental_options as get_experimental_options
from gradtape._src.compat.config import get_jit as get_jit
from gradtape._src.compat.config import set_compilation_cache as set_compilation_cache
from gradtape._src.compat.config import set_experimental_options as set_experimental_options
from gradtape._src.compat.config import set_jit as set_jit
