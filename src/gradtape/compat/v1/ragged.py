"""`tf.compat.v1.ragged`: ragged tensors, and their values in sessions."""

from typing import Any as _Any

from gradtape._src.compat.v1_namespaces import listed as _listed
from gradtape._src.compat.v1_namespaces import shared as _shared
from gradtape._src.sessions.placeholders import ragged_placeholder as _placeholder
from gradtape._src.sessions.ragged_values import RaggedTensorValue as RaggedTensorValue
from gradtape._src.sessions.ragged_values import constant_value as constant_value

placeholder = _placeholder


def __getattr__(name: str) -> _Any:
    return _shared("ragged", name)


def __dir__() -> list[str]:
    return _listed("ragged", globals())
