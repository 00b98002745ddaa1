"""The configuration with which gradtape was built: `tf.sysconfig`."""

from gradtape._src.compat.config import get_build_info as get_build_info
