"""`tf.compat.v1.debugging`: assertions that are operations in graphs."""

from typing import Any as _Any

from gradtape._src.compat.v1_namespaces import listed as _listed
from gradtape._src.compat.v1_namespaces import shared as _shared
from gradtape._src.sessions.older.ranks import assert_shapes as assert_shapes


def __getattr__(name: str) -> _Any:
    return _shared("debugging", name)


def __dir__() -> list[str]:
    return _listed("debugging", globals())
