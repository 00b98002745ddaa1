"""`tf.compat.v1.sparse`: operations on sparse tensors, with TensorFlow 1's arguments."""

from typing import Any as _Any

from gradtape._src.compat.v1_namespaces import listed as _listed
from gradtape._src.compat.v1_namespaces import shared as _shared


def __getattr__(name: str) -> _Any:
    return _shared("sparse", name)


def __dir__() -> list[str]:
    return _listed("sparse", globals())
