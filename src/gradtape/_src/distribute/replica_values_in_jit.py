"""Values of replicas while a function is compiled, once for all of them."""

from __future__ import annotations

from typing import Any

from gradtape._src.base import nest
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.eager_only import staging
from gradtape._src.distribute.values import PerReplica, split


def parts(structure: Any) -> Any:
    """What the replica gets of arguments: its part of what differs by replica."""
    return nest.map_structure(lambda x: x._whole if _is_split(x) else x, structure)


def _is_split(x: Any) -> bool:
    return isinstance(x, PerReplica) and x._traced


def splits(structure: Any) -> Any:
    """What a replica returned, each tensor of it as the part of one replica."""
    compiler = staging()

    def whole(x: Any) -> Any:
        return split(Tensor(compiler.spread.staged(x._value))) if type(x) is Tensor else x

    return nest.map_structure(whole, structure)
