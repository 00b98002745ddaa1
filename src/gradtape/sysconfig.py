"""`tf.sysconfig`."""

from gradtape._compile.config import get_build_info as get_build_info
