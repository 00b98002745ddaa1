"""`tf.version`: the TensorFlow whose behaviour gradtape has."""

from gradtape._version import tensorflow_version as _tensorflow_version

VERSION = _tensorflow_version
GIT_VERSION = f"v{VERSION}"
COMPILER_VERSION = "none: gradtape is written in Python"
