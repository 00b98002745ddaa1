"""The version, for the package and for its build."""

__version__ = "0.2.0"

tensorflow_version = f"2.21.0+gradtape.{__version__}"
"""`tf.__version__`: the version of TensorFlow whose behaviour programs find."""
