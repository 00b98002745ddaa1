"""Values with a part for each replica, and functions to split and merge structures of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np

from gradtape._src.base import nest
from gradtape._src.base.composite_tensor import CompositeTensor
from gradtape._src.base.device_values import device_array
from gradtape._src.base.export import export
from gradtape._src.base.nest import Container, register_composite
from gradtape._src.core.convert import register_converter
from gradtape._src.core.extension_point import ExtensionPoint
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.graph.composite_arguments import REPLICAS, Specialization, rebuilt
from gradtape._src.graph.replica_hooks import ShapesDiffer
from gradtape._src.graph.signatures import describe, filled
from gradtape._src.ops.types.specs import TensorSpec, TypeSpec

V = TypeVar("V")


@export("distribute.DistributedValues")
class DistributedValues:
    """A value with a part for each replica of this process.

    Attributes:
      values: The parts, in the order of the replicas.
    """

    __slots__ = ()

    @property
    def values(self) -> tuple[Any, ...]:
        """The parts, in the order of the replicas."""
        raise NotImplementedError(f"{type(self).__name__} does not define its parts")

    def _part(self, i: int) -> Any:
        """Returns the part of the i-th replica of this process."""
        return self.values[i]

    def __str__(self) -> str:
        return repr(self)


@export("distribute.experimental.ValueContext")
class ValueContext:
    """The context in which a function makes a value for one replica.

    Args:
      replica_id_in_sync_group: The index of the replica.
      num_replicas_in_sync: The number of replicas.

    Attributes:
      replica_id_in_sync_group, num_replicas_in_sync: The index of the replica, and the number of
        replicas.
    """

    def __init__(self, replica_id_in_sync_group: int = 0, num_replicas_in_sync: int = 1) -> None:
        self.replica_id_in_sync_group = replica_id_in_sync_group
        self.num_replicas_in_sync = num_replicas_in_sync


taking_apart: ExtensionPoint[Callable[[Tensor], tuple[Any, ...]]] = ExtensionPoint(
    "the parts of a tensor that lies on several devices"
)
"""Provided by `sharded_program`, the only one to make such tensors."""


@export("types.experimental.distributed.PerReplica")
class PerReplica(DistributedValues, CompositeTensor):
    """A value for each replica: its part of a batch, or the result that it returned.

    Args:
      values: The parts, in the order of the replicas.
      whole: All parts in one tensor, given in place of `values`. Outside of compiled functions, its
        first axis is the axis of replicas. Inside, it is the part of the current replica, which
        represents all of them.
    """

    __slots__ = ("__weakref__", "_values", "_whole")

    def __init__(self, values: Sequence[Any] | None, whole: Tensor | None = None) -> None:
        self._values = None if values is None else tuple(values)
        self._whole = whole

    @property
    def values(self) -> tuple[Any, ...]:
        """The parts, in the order of the replicas."""
        if self._values is None:
            assert self._whole is not None
            parts = taking_apart.get()(self._whole)
            if not self._traced:
                self._values = parts
            return parts
        return self._values

    @property
    def _traced(self) -> bool:
        """Whether the value represents the parts of all replicas inside a compiled function."""
        whole = self._whole
        return whole is not None and whole._is_part

    @property
    def _type_spec(self) -> PerReplicaSpec:
        # A traced value represents all replicas.
        parts = (self._whole,) if self._traced else self.values
        return PerReplicaSpec(*map(_spec_of, parts))

    # Methods for compiling a function with `PerReplica` arguments.

    def _described_parts(self, leaves: list[Tensor], level: Specialization) -> Any:
        """Returns the part of a cache key for this value; appends its tensors to a list."""
        if level is REPLICAS:
            return (type(self), *[describe(x, leaves, level) for x in self.values])
        whole = self._together()
        leaves.append(whole)
        if self._traced:
            return PerReplica, (whole._value.shape, whole._value.dtype)
        return PerReplica, whole._part_spec, (int, _count(whole))

    def _together(self) -> Tensor:
        whole = self._whole
        if whole is None:
            raws: list[Any] = [x._value if type(x) is Tensor else None for x in self.values]
            first = raws[0]
            if first is None or first.dtype.kind == "O":
                raise ShapesDiffer
            for raw in raws:
                if raw is None or raw.shape != first.shape or raw.dtype != first.dtype:
                    raise ShapesDiffer
            if self.values[0]._is_uneven:
                raise ShapesDiffer
            whole = self._whole = Tensor(np.stack(raws))
            whole._part_spec = (first.shape, first.dtype)
        elif not self._traced and whole._part_spec is None:
            array = _array(whole)
            whole._part_spec = (array.shape[1:], array.dtype)
        return whole

    def _filled(self, tensors: Iterator[Tensor], level: Specialization) -> object:
        """Returns such a value of other tensors."""
        if level is REPLICAS:
            return rebuilt(
                type(self)(self.values), [filled(x, tensors, level) for x in self.values]
            )
        return split(next(tensors))

    def __repr__(self) -> str:
        if self._traced:
            return f"PerReplica:{{\n  of each: {self._whole!r}\n}}"
        shown = ",\n".join(f"  {i}: {v!r}" for i, v in enumerate(self.values))
        return f"{type(self).__name__}:{{\n{shown}\n}}"


def _count(whole: Tensor) -> int:
    return int(_array(whole).shape[0])


def _array(whole: Tensor) -> Any:
    array = device_array(whole)
    return whole._value if array is None else array


def split(part: Tensor) -> PerReplica:
    """Returns a tensor that differs by replica in symbolic form, for compilation."""
    part._is_part = True
    return PerReplica(None, part)


@export("types.experimental.distributed.Mirrored")
class Mirrored(PerReplica):
    """A value that all replicas share."""

    __slots__ = ()


def _spec_of(value: Any) -> Any:
    if isinstance(value, (Tensor, Variable, np.ndarray, np.generic)):
        return TensorSpec(value.shape, value.dtype)
    return getattr(value, "_type_spec", value)


class PerReplicaSpec(TypeSpec):
    """Describes a `PerReplica`: a spec for each part."""

    __slots__ = ("_value_specs",)

    def __init__(self, *value_specs: Any) -> None:
        self._value_specs = value_specs

    @property
    def value_type(self) -> type[PerReplica]:
        """The class of the described values."""
        return PerReplica

    def _serialize(self) -> tuple[Any, ...]:
        return self._value_specs

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether a value has the same number of parts, each compatible with its spec."""
        other = getattr(spec_or_value, "_type_spec", spec_or_value)
        return (
            isinstance(other, PerReplicaSpec)
            and len(other._value_specs) == len(self._value_specs)
            and all(
                a.is_compatible_with(b) if isinstance(a, TypeSpec) else a == b
                for a, b in zip(self._value_specs, other._value_specs, strict=True)
            )
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PerReplicaSpec) and self._value_specs == other._value_specs

    def __hash__(self) -> int:
        return hash(repr(self))

    def __repr__(self) -> str:
        return f"PerReplicaSpec({', '.join(map(repr, self._value_specs))})"


def _children(x: PerReplica) -> Sequence[Any]:
    return (x._whole,) if x._values is None else x._values


def _rebuilt(like: PerReplica, children: list[Any]) -> PerReplica:
    if like._values is None:
        return type(like)(None, children[0])
    return type(like)(children)


for _cls in (PerReplica, Mirrored):
    register_composite(_cls, Container(_children, _rebuilt))


def _not_a_tensor(value: Any, dtype: Any) -> Any:
    raise ValueError(
        f"It looks like you are using a {type(value).__name__} object while not inside a replica "
        "context, which is not supported. Try running your op or function inside a replica context "
        "by using `strategy.run`, or take its parts with `strategy.experimental_local_results`."
    )


register_converter(PerReplica, _not_a_tensor, priority=0)


def part_of(i: int, structure: V, count: int) -> V:
    """Returns the arguments of the i-th replica: its parts, and all other values unchanged.

    Raises:
      ValueError: A value was made for another number of replicas than `count`.
    """

    def part(x: Any) -> Any:
        if not isinstance(x, PerReplica):
            return x
        if len(x.values) != count:
            raise ValueError(
                f"a value of {len(x.values)} replicas was given to a strategy that has {count} in "
                f"this process: {x!r}"
            )
        return x.values[i]

    own: V = nest.map_structure(part, structure)
    return own


def regroup(parts: Sequence[Any], kind: type[PerReplica] = PerReplica) -> Any:
    """Merges the replicas' results; a value that is the same object in all is kept.

    Raises:
      AssertionError: The replicas' structures differ.
    """
    first = parts[0]
    if len(parts) == 1:
        return first
    if nest.is_nested(first):
        children = [list(nest.children_of(p)) for p in parts]
        for p, c in zip(parts, children, strict=True):
            assert type(p) is type(first), f"type(v) == {type(p)}, type(v0) == {type(first)}"
            assert len(c) == len(children[0]), (
                f"len(v) == {len(c)}, len(v0) == {len(children[0])}, v: {p}, v0: {first}"
            )
            if isinstance(first, dict):
                assert set(p) == set(first), f"keys of v: {[*p]}, of v0: {[*first]}"
        return nest.rebuild(first, [regroup(c, kind) for c in zip(*children, strict=True)])
    if all(p is first for p in parts):
        return first
    if isinstance(first, Variable):
        whole = getattr(first, "_whole_variable", None)
        if whole is not None and all(getattr(p, "_whole_variable", None) is whole for p in parts):
            return whole
    elif isinstance(first, (int, float, bool, str, bytes)) and all(
        type(p) is type(first) and p == first for p in parts
    ):
        return first
    return kind(parts)


def same(value: PerReplica) -> bool:
    """Whether all parts are the same object."""
    if value._values is None:
        return False
    raws = [x._value if type(x) is Tensor else x for x in value._values]
    return all(r is raws[0] for r in raws)
