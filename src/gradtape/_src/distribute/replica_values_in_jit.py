"""Values of replicas while a function is compiled once for all replicas."""

from __future__ import annotations

from typing import Any, TypeVar

from gradtape._src.base import nest
from gradtape._src.compute.jax_modules import jnp
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.eager_only import active_compiler
from gradtape._src.declare.general import general, shape_of
from gradtape._src.distribute.values import PerReplica, split

V = TypeVar("V")
_part_p = general("ReplicaPart", lambda x, number: x, xla=lambda x, number: jnp.copy(x))
"""Marks a value as the part of the replica with a given number."""


def is_for_xla(tracer: Any) -> bool:
    """Whether XLA will run a graph or a surrounding graph."""
    while tracer is not None:
        if tracer.for_xla:
            return True
        tracer = tracer.outer or tracer.around
    return False


def is_traced_once() -> bool:
    """Whether a program for all replicas is being traced, for which their code runs once."""
    tracer = active_compiler()
    return tracer is not None and tracer.sharding is not None


def parts(structure: V) -> V:
    """Returns the current replica's arguments: its part of each value that differs by replica."""
    own: V = nest.map_structure(lambda x: x._whole if _is_split(x) else x, structure)
    return own


def _is_split(x: Any) -> bool:
    return isinstance(x, PerReplica) and x._traced


def splits(structure: V) -> V:
    """Returns the results of a replica, with each tensor in them as the part of one replica."""
    tracer = active_compiler()
    number = tracer.entry(tracer.sharding.context().replica_id_in_sync_group)

    def whole(x: Any) -> Any:
        if type(x) is not Tensor:
            return x
        spec = shape_of(x), x._value.dtype
        return split(tracer.add(_part_p.primitive, [tracer.entry(x), number], {}, spec))

    parts_of_all: V = nest.map_structure(whole, structure)
    return parts_of_all
