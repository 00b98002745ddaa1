"""`tf.compat.v1.strings`: operations on strings, with TensorFlow 1's arguments."""

from typing import Any as _Any

from gradtape._src.compat.v1_namespaces import listed as _listed
from gradtape._src.compat.v1_namespaces import shared as _shared
from gradtape._src.sessions.older.strings import length as length
from gradtape._src.sessions.older.strings import split as split
from gradtape._src.sessions.older.strings import substr as substr


def __getattr__(name: str) -> _Any:
    return _shared("strings", name)


def __dir__() -> list[str]:
    return _listed("strings", globals())
