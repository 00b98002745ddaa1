"""`tf.version`: the TensorFlow whose behaviour gradtape has."""

from gradtape._version import tensorflow_version as _tensorflow_version

VERSION = _tensorflow_version
GIT_VERSION = f"v{VERSION}"
GRAPH_DEF_VERSION = 2474
GRAPH_DEF_VERSION_MIN_CONSUMER = 0
GRAPH_DEF_VERSION_MIN_PRODUCER = 0
COMPILER_VERSION = "none: gradtape is written in Python"
