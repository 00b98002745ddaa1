"""Sparse, ragged and other composite tensors as arguments and results of compiled functions.

Their values are inputs of the program. How a `SparseTensor` or `IndexedSlices` is large (their
`dense_shape`) is part of the key, as shapes are. Where the elements of a sparse tensor lie and how
a ragged one is divided into rows are inputs as well, unless the function asks for those: then they
are known to the program, and other ones make another program. This holds for integer tensors of a
few elements, too, that tell an operation of a shape, an axis or a count.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np

from gradtape._src.base import nest
from gradtape._src.base.indexed_slices import IndexedSlices
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.unknown_sizes import Size, is_unknown
from gradtape._src.ops.types.ragged_tensor import RaggedTensor
from gradtape._src.ops.types.sparse_tensor import SparseTensor

V = TypeVar("V")


class Specialization(enum.IntEnum):
    """The knowledge of the arguments for which a program is made, and which its key holds."""

    REPLICAS = -1  # shapes and dtypes alone, of values of replicas those of each part
    SHAPES = 0  # shapes and dtypes alone
    STRUCTURE = 1  # also the places of sparse tensors and the rows of ragged ones
    VALUES = 2  # also the values of small integer tensors


REPLICAS, SHAPES, STRUCTURE, VALUES = Specialization

_FEW = 8
_INPUT, _ASKED, _ALWAYS = range(3)
_KNOWN: dict[type, tuple[int, ...]] = {
    SparseTensor: (_ASKED, _INPUT, _ALWAYS),
    RaggedTensor: (_INPUT, _ASKED),
    IndexedSlices: (_INPUT, _INPUT, _ALWAYS),
}


class StaticValue:
    """An integer tensor whose values a program depends on, as part of a key."""

    __slots__ = ("_bytes", "value")

    def __init__(self, value: Any) -> None:
        self.value = np.asarray(value)
        self._bytes = self.value.tobytes()

    def tensor(self) -> Tensor:
        """The values as a tensor of their own."""
        return Tensor(np.array(self.value))

    def __hash__(self) -> int:
        return hash(self._bytes)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, StaticValue)
            and self._bytes == other._bytes
            and self.value.shape == other.value.shape
            and self.value.dtype == other.value.dtype
        )

    def __repr__(self) -> str:
        shown = np.array2string(self.value, threshold=8, edgeitems=2, separator=", ")
        return f"the values {' '.join(shown.split())}"


def is_composite(kind: type) -> bool:
    """Whether the values of a class are made of tensors."""
    return hasattr(kind, "_type_spec")


def levels_of(structure: Any) -> set[Specialization]:
    """Returns what could be known of the values in a structure besides shapes and dtypes.

    Returns:
      STRUCTURE among others if there are composite tensors, which have places and rows, VALUES
      if there are integer tensors that could be shapes, axes or counts.
    """
    flat = nest.flatten(structure)
    found = {STRUCTURE} if any(is_composite(type(x)) for x in flat) else set()
    return found | ({VALUES} if any(map(is_small, flat)) else set())


def is_small(x: Any) -> bool:
    """Whether something may tell of shapes, axes or counts: a few whole numbers."""
    if not isinstance(x, (Tensor, np.ndarray, np.generic)):
        return False
    held = x._device if type(x) is Tensor else None
    value = held if held is not None else x._value if isinstance(x, Tensor) else x
    return value.dtype.kind in "iu" and value.ndim < 2 and value.size <= _FEW


def parts_of(value: Any, level: Specialization) -> list[Any]:
    """The parts of a composite tensor, `StaticValue` if the program depends on their values.

    Args:
      value: The composite tensor.
      level: Whether its places or rows are known to the program.
    """
    wishes = _KNOWN.get(type(value))
    if wishes is None:
        return nest.flatten(value, expand_composites=True)
    return [
        StaticValue(x._numpy())
        if wish >= (_ASKED if level > SHAPES else _ALWAYS) and type(x) is Tensor
        else x
        for x, wish in zip(nest.composite_children(value), wishes, strict=False)
    ]


class _StandIn:
    """Stands for a composite tensor until `nest` fills in its parts."""

    def __init__(self, like: Any, parts: Sequence[Any]) -> None:
        self.like, self.parts = like, list(parts)


def stand_in(value: Any, parts: Sequence[Any]) -> object:
    """Returns an object that becomes a composite tensor like `value` when `nest` packs it.

    Args:
      value: The composite tensor; none of its values are kept, unless a library's spec needs them.
      parts: What stands for its parts: placeholders, tensors, or other stand-ins.
    """
    by_spec = getattr(value, "_is_known_by_spec", False)
    return _StandIn(value if by_spec else emptied(value), parts)


def emptied(structure: V) -> V:
    """A structure with zeros that take no memory for all values in it."""
    flat = [_zeros(x) for x in nest.flatten(structure, expand_composites=True)]
    empty: V = nest.pack_sequence_as(structure, flat, expand_composites=True)
    return empty


def _zeros(x: Any) -> Any:
    if type(x) is not Tensor:
        return x
    held = x._device
    shape, dtype = (x._value.shape, x._value.dtype) if held is None else (held.shape, held.dtype)
    if is_unknown(shape):
        shape = tuple([0 if type(n) is Size else n for n in shape])
    return Tensor(np.broadcast_to(np.zeros((), dtype), shape))


nest.register_composite(
    _StandIn,
    nest.Container(
        lambda x: x.parts,
        lambda placeholder, parts: nest.composite_rebuilt(placeholder.like, parts),
    ),
)
