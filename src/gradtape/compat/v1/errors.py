"""`tf.compat.v1.errors`: the errors of `tf.errors`, and their numbers."""

from typing import Any as _Any

from gradtape._src.compat.v1_namespaces import listed as _listed
from gradtape._src.compat.v1_namespaces import shared as _shared
from gradtape._src.sessions.older.testing import (
    error_code_from_exception_type as error_code_from_exception_type,
)
from gradtape._src.sessions.older.testing import (
    exception_type_from_error_code as exception_type_from_error_code,
)


def __getattr__(name: str) -> _Any:
    return _shared("errors", name)


def __dir__() -> list[str]:
    return _listed("errors", globals())
