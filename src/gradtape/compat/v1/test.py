"""`tf.compat.v1.test`: parts of tests, with TensorFlow 1's names."""

from typing import Any as _Any
from unittest import mock as mock

from gradtape._src.compat.v1_namespaces import listed as _listed
from gradtape._src.compat.v1_namespaces import shared as _shared
from gradtape._src.sessions.older.testing import compute_gradient as compute_gradient
from gradtape._src.sessions.older.testing import compute_gradient_error as compute_gradient_error
from gradtape._src.sessions.older.testing import get_temp_dir as get_temp_dir


def __getattr__(name: str) -> _Any:
    return _shared("test", name)


def __dir__() -> list[str]:
    return _listed("test", globals())
