"""The real Keras 3, with gradtape as its TensorFlow.

Importing this module loads Keras and puts Keras itself in this module's place, so that
`gradtape.keras` is what `tf.keras` is with TensorFlow.
"""

import importlib as _importlib
import importlib.util as _importlib_util
import os as _os
import sys as _sys
from types import ModuleType as _ModuleType

from gradtape._src.compat.alias import install as _install
from gradtape._src.compat.names import guard_view as _guard_view

_VIEW = "keras._tf_keras.keras"
"""What TensorFlow shows as `tf.keras`: Keras and the old functions of its `backend`."""


def _load() -> _ModuleType:
    """Imports Keras, its TensorFlow back end on gradtape.

    Raises:
      ModuleNotFoundError: Keras is not installed.
      ImportError: The real TensorFlow, or Keras with another back end, was imported before.
    """
    _install()
    if "keras" in _sys.modules:
        _check_backend(_sys.modules["keras"])
    elif _importlib_util.find_spec("keras") is None:
        raise ModuleNotFoundError(
            'tf.keras is the real Keras 3, which is not installed: pip install "gradtape[keras]"',
            name="keras",
        )
    before = _os.environ.get("KERAS_BACKEND")
    _os.environ["KERAS_BACKEND"] = "tensorflow"
    try:
        found = _importlib.import_module(_VIEW)
        _guard_view(found, "keras")
        return found
    finally:
        if before is not None:
            _os.environ["KERAS_BACKEND"] = before


def _check_backend(keras: _ModuleType) -> None:
    """Raises ImportError unless the Keras that is there already runs on gradtape."""
    used = keras.config.backend()
    if used != "tensorflow":
        raise ImportError(
            f"Keras is imported already, with the back end {used!r}: import gradtape.keras first, "
            "or set KERAS_BACKEND=tensorflow and call gradtape.install() before `import keras`",
            name="keras",
        )


_sys.modules[__name__] = _load()
