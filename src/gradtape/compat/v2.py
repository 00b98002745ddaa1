"""`tf.compat.v2`: TensorFlow 2's names, which are gradtape's own."""

import sys as _sys
from typing import Any as _Any


def __getattr__(name: str) -> _Any:
    return getattr(_sys.modules["gradtape"], name)


def __dir__() -> list[str]:
    return dir(_sys.modules["gradtape"])
