"""Values of replicas while a function is compiled, once for all of them."""

from __future__ import annotations

from typing import Any, TypeVar

from gradtape._src.base import nest
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.eager_only import active_compiler
from gradtape._src.distribute.values import PerReplica, split

V = TypeVar("V")


def staged_once() -> bool:
    """Whether a program for all replicas is made, for which their code runs once."""
    compiler = active_compiler()
    return compiler is not None and (not compiler.defers or compiler.for_xla)


def parts(structure: V) -> V:
    """Returns the arguments of the replica: its part of each value that differs by replica."""
    own: V = nest.map_structure(lambda x: x._whole if _is_split(x) else x, structure)
    return own


def _is_split(x: Any) -> bool:
    return isinstance(x, PerReplica) and x._traced


def splits(structure: V) -> V:
    """Returns the results of a replica, with each tensor in them as the part of one replica."""
    compiler = active_compiler()

    def whole(x: Any) -> Any:
        return split(Tensor(compiler.sharding.staged(x._value))) if type(x) is Tensor else x

    parts_of_all: V = nest.map_structure(whole, structure)
    return parts_of_all
