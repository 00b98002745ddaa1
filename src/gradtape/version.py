"""`tf.version`: the TensorFlow whose behaviour gradtape has."""

from gradtape._version import tensorflow_version as VERSION

GIT_VERSION = f"v{VERSION}"
COMPILER_VERSION = "none: gradtape is written in Python"
