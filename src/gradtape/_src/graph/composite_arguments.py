"""Sparse, ragged and other composite tensors as arguments and results of compiled functions.

Their values are inputs of the program. The `dense_shape` of a `SparseTensor` or `IndexedSlices` is
part of the key, like shapes. The indices of a sparse tensor's elements and the row partition of a
ragged one are inputs as well, unless the function needs their values: then the values are known to
the program, and other values need another program. The same applies to small integer tensors from
which an operation takes a shape, an axis or a count.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from itertools import zip_longest
from typing import Any, TypeVar

import numpy as np

from gradtape._src.base import nest
from gradtape._src.base.composite_tensor import is_composite
from gradtape._src.base.indexed_slices import IndexedSlices
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.unknown_sizes import Size, UnknownRank, is_unknown
from gradtape._src.ops.types.ragged_tensor import RaggedTensor
from gradtape._src.ops.types.sparse_tensor import SparseTensor

V = TypeVar("V")


class Specialization(enum.IntEnum):
    """The assumptions of a program about its arguments, which are part of its key."""

    REPLICAS = -1  # shapes and dtypes alone; for values of replicas, those of each part
    SHAPES = 0  # shapes and dtypes alone
    STRUCTURE = 1  # also the indices of sparse tensors and the row partitions of ragged ones
    VALUES = 2  # also the values of small integer tensors and of conditions


REPLICAS, SHAPES, STRUCTURE, VALUES = Specialization

_FEW = 8
_INPUT, _ASKED, _ALWAYS = range(3)
_KNOWN: dict[type, tuple[int, ...]] = {
    SparseTensor: (_ASKED, _INPUT, _ALWAYS),
    RaggedTensor: (_INPUT, _ASKED),  # The splits of inner rows are nested in the same way.
    IndexedSlices: (_INPUT, _INPUT, _ALWAYS),
}


class StaticValue:
    """An integer tensor whose values a program depends on, as part of a key."""

    __slots__ = ("_key", "value")

    def __init__(self, value: Any) -> None:
        self.value = np.asarray(value)
        self._key = (self.value.shape, self.value.dtype, self.value.tobytes())

    def tensor(self) -> Tensor:
        """Returns the values as a new tensor."""
        return Tensor(np.array(self.value))

    def __hash__(self) -> int:
        return hash(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StaticValue) and self._key == other._key

    def __repr__(self) -> str:
        shown = np.array2string(self.value, threshold=8, edgeitems=2, separator=", ")
        return f"the values {' '.join(shown.split())}"


def levels_of(structure: Any) -> set[Specialization]:
    """Returns the additional assumptions that are possible about the values in a structure.

    Returns:
      The list contains STRUCTURE if there are composite tensors, which have indices or rows, and
      VALUES if there are tensors that could be shapes, axes, counts or conditions.
    """
    flat = nest.flatten(structure)
    found = {STRUCTURE} if any(is_composite(type(x)) for x in flat) else set()
    return found | ({VALUES} if any(map(is_small, flat)) else set())


def is_small(x: Any) -> bool:
    """Whether a tensor may hold shapes, axes, counts or a condition: a few integers, one bool."""
    if not isinstance(x, (Tensor, np.ndarray, np.generic)):
        return False
    held = x._device if type(x) is Tensor else None
    value = held if held is not None else x._value if isinstance(x, Tensor) else x
    kind, rank = value.dtype.kind, value.ndim
    return (kind in "iu" and rank < 2 and value.size <= _FEW) or (kind == "b" and rank == 0)


def parts_of(value: Any, level: Specialization) -> list[Any]:
    """Returns the parts of a composite tensor, with known values as `StaticValue`.

    Args:
      value: The composite tensor.
      level: Whether the program knows its indices or rows.
    """
    wishes = _KNOWN.get(type(value))
    if wishes is None or getattr(value, "_has_open_shape", False):
        return nest.flatten(value, expand_composites=True)
    return [
        StaticValue(x._numpy())
        if wish >= (_ASKED if level > SHAPES else _ALWAYS) and type(x) is Tensor
        else x
        for x, wish in zip_longest(nest.composite_children(value), wishes, fillvalue=_ASKED)
    ]


class TracingContext:
    """Stands for the call whose arguments `__tf_tracing_type__` describes."""


class TypeKey:
    """The key of an argument that defines its own trace type.

    The key of a graph equals the key of a call whose type is a subtype. This relation is not
    symmetric; Python compares the key in the dictionary with the key that is looked up, in this
    order.
    """

    __slots__ = ("type",)

    def __init__(self, value: Any) -> None:
        self.type = value.__tf_tracing_type__(TracingContext())

    def __hash__(self) -> int:
        return hash(type(self.type))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TypeKey) and (
            other.type == self.type or bool(other.type.is_subtype_of(self.type))
        )

    def filled(self, parts: Sequence[Any]) -> object:
        """Returns an argument of the type that consists of these tensors."""
        made: object = self.type.placeholder_value(_Placeholders(parts))
        return made

    def __repr__(self) -> str:
        return repr(self.type)


class _Placeholders:
    """The context for placeholders, which provides the graph's tensors of an argument in order."""

    def __init__(self, tensors: Sequence[Any]) -> None:
        self._tensors = iter(tensors)

    def tensor(self, spec: Any) -> object:
        """Returns the next tensor, for a spec."""
        return next(self._tensors)


def rebuilt(value: Any, parts: list[Any]) -> object:
    """Returns a composite tensor like another one.

    Args:
      value: The other one; its values are not used, unless the spec of another library needs them.
      parts: Its parts: its children, or all of its tensors.
    """
    like = value if getattr(value, "_is_known_by_spec", False) else emptied(value)
    if len(parts) == len(nest.composite_children(like)):
        return nest.composite_rebuilt(like, parts)
    return nest.pack_sequence_as(like, parts, expand_composites=True)


def emptied(structure: V) -> V:
    """Returns a structure with zeros, which take no memory, in place of all values."""
    flat = [_zeros(x) for x in nest.flatten(structure, expand_composites=True)]
    empty: V = nest.pack_sequence_as(structure, flat, expand_composites=True)
    return empty


def _zeros(x: Any) -> Any:
    if type(x) is not Tensor:
        return x
    held = x._device
    shape, dtype = (x._value.shape, x._value.dtype) if held is None else (held.shape, held.dtype)
    if type(shape) is UnknownRank:
        shape = ()
    if is_unknown(shape):
        shape = tuple([0 if type(n) is Size else n for n in shape])
    return Tensor(np.broadcast_to(np.zeros((), dtype), shape))
