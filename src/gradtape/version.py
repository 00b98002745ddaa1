"""`tf.version`: the TensorFlow whose behaviour gradtape has."""

from gradtape._version import tensorflow_version as VERSION  # noqa: N812 (TensorFlow's name)

GIT_VERSION = f"v{VERSION}"
COMPILER_VERSION = "none: gradtape is written in Python"
