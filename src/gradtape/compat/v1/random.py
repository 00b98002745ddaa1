"""`tf.compat.v1.random`: random numbers, with TensorFlow 1's arguments."""

from typing import Any as _Any

from gradtape._src.compat.v1_namespaces import listed as _listed
from gradtape._src.compat.v1_namespaces import shared as _shared
from gradtape._src.sessions.older.operations import get_seed as get_seed
from gradtape._src.sessions.older.operations import old_truncated_normal as _truncated_normal
from gradtape._src.sessions.older.operations import random_normal as _normal
from gradtape._src.sessions.older.operations import random_uniform as _uniform
from gradtape._src.sessions.older.operations import set_random_seed as set_random_seed

normal = _normal
truncated_normal = _truncated_normal
uniform = _uniform


def __getattr__(name: str) -> _Any:
    return _shared("random", name)


def __dir__() -> list[str]:
    return _listed("random", globals())
