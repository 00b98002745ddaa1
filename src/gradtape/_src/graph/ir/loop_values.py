"""The values that choices and loops of compiled functions carry, `TensorArray`s as tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, TypeVar

import numpy as np

from gradtape._src.base import nest
from gradtape._src.base.errors import OutOfRangeError
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import integers
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.structural import reshape_p, zeros
from gradtape._src.graph.ir.staged import CONCRETE, is_traced, scope
from gradtape._src.graph.ir.trace_errors import cannot_compile
from gradtape._src.ops.array.gather import gather_p
from gradtape._src.ops.array.joining import concat, split, stack
from gradtape._src.ops.array.scatter import tensor_scatter_nd_update
from gradtape._src.ops.types.tensor_array import TensorArray

V = TypeVar("V")

__all__ = ["is_traced", "scope", "stacked"]


class StackedArray(TensorArray):
    """A `TensorArray` of fixed size whose elements are the rows of a tensor.

    So the places that are written and read may be known only when the program runs. As long as
    nothing was written and the elements' shape is unknown there is no tensor.
    """

    def __init__(self, like: TensorArray, rows: Tensor | None, size: int) -> None:
        self.__dict__.update(like.__dict__)
        self._items, self._cleared, self._source, self._scope = [], set(), None, scope()
        self._rows, self._length = rows, size
        if rows is not None:
            self._shape = self._shape.merge_with(shape_of(rows)[1:])

    def _with(self, rows: Tensor) -> StackedArray:
        """The array with other elements: itself, but for one from outside of a choice or loop."""
        if scope() is not self._scope:
            return StackedArray(self, rows, self._length)
        self._rows = rows
        self._shape = self._shape.merge_with(shape_of(rows)[1:])
        return self

    def _known(self, shape: Sequence[int] | None = None) -> Tensor:
        """The rows, zeros where nothing was written yet; errors as `_zeros`."""
        if self._rows is not None:
            return self._rows
        shape = shape_of(self._zeros()) if shape is None else shape
        return Tensor(zeros((self._length, *shape), self._dtype.np_dtype))

    def size(self, name: str | None = None) -> Tensor:
        """Returns the number of elements, an int32 scalar."""
        return Tensor(np.int32(self._length))

    def close(self, name: str | None = None) -> None:
        """Forgets all elements."""
        self._rows, self._length = None, 0

    def write(self, index: Any, value: Any, name: str | None = None) -> TensorArray:
        """Puts an element in its place; arguments and errors as `TensorArray.write`."""
        x = self._checked(value)
        place = reshape_p(self._place(index), shape=(1, 1))
        rows = self._known(shape_of(x))
        update = reshape_p(x, shape=(1, *shape_of(x)))
        return self._with(tensor_scatter_nd_update(rows, place, update))

    def _place(self, index: Any) -> Tensor:
        place: Tensor = convert_to_tensor(index)
        if not is_traced(place) and not 0 <= int(place._value) < self._length:
            raise OutOfRangeError(
                None, None, f"index {int(place._value)} of a TensorArray of size {self._length}"
            )
        return place

    def read(self, index: Any, name: str | None = None) -> Tensor:
        """Gives an element; arguments as `TensorArray.read`."""
        place = self._place(index)
        return gather_p(self._known(), place, axis=0, batch_dims=0)

    def stack(self, name: str | None = None) -> Tensor:
        """Gives all elements side by side along a new first axis."""
        return self._known()

    def gather(self, indices: Any, name: str | None = None) -> Tensor:
        """Gives some elements side by side along a new first axis."""
        if isinstance(indices, range):
            indices = list(indices)
        places = convert_to_tensor(indices)
        return gather_p(self._known(), places, axis=0, batch_dims=0)

    def concat(self, name: str | None = None) -> Tensor:
        """Gives all elements joined along their first axis."""
        rows = self._known()
        n, first, *rest = shape_of(rows)
        return reshape_p(rows, shape=(n * first, *rest))

    def _fill(self, parts: Sequence[Tensor]) -> TensorArray:
        if len(parts) > self._length:
            raise ValueError(
                f"Cannot unstack {len(parts)} tensors into a TensorArray of static size "
                f"{self._length} "
            )
        rows = stack([self._checked(part) for part in parts])
        if len(parts) < self._length:
            rest = self._known(shape_of(rows)[1:])[len(parts) :]
            rows = concat([rows, rest], 0)
        return self._with(rows)

    def scatter(self, indices: Any, value: Any, name: str | None = None) -> TensorArray:
        """Puts the rows of a tensor in the places that indices say."""
        x = convert_to_tensor(value, dtype_hint=self._dtype)
        places = reshape_p(convert_to_tensor(indices), shape=(-1, 1))
        return self._with(tensor_scatter_nd_update(self._known(shape_of(x)[1:]), places, x))

    def split(self, value: Any, lengths: Any, name: str | None = None) -> TensorArray:
        """Puts parts of a tensor, of the lengths given and all equal, in the first places."""
        x = convert_to_tensor(value, dtype_hint=self._dtype)
        return self._fill(split(x, integers(lengths, "TensorArray").reshape(-1)))


def stacked(array: TensorArray) -> StackedArray:
    """An array with its elements as the rows of one tensor.

    Raises:
      UnimplementedError: `array` has a dynamic size.
    """
    if isinstance(array, StackedArray):
        return array
    items = array._items
    if array.dynamic_size:
        raise cannot_compile(
            "a TensorArray that grows",
            "XLA's shapes are fixed. Give it the size that it has in the end: "
            "tf.TensorArray(dtype, size)",
        )
    rows = array._source
    if rows is None and items and not all(x is None for x in items):
        rows = stack([array._zeros() if x is None else x for x in items])
    elif rows is None and array.element_shape.is_fully_defined():
        rows = StackedArray(array, None, len(items))._known()
    return StackedArray(array, rows, len(items))


# In the structures that choices give and loops carry.


def has_arrays(structure: Any) -> bool:
    """Whether there is a `TensorArray` in a structure."""
    return any(isinstance(x, TensorArray) for x in nest.flatten(structure))


def settled(structure: V) -> V:
    """A structure with its arrays as `StackedArray`s, and all else as tensors."""
    found: V = nest.map_structure(
        lambda x: stacked(x) if isinstance(x, TensorArray) else _tensors(x), structure
    )
    return found


def opened(structure: Any, shapes: Sequence[Any] = ()) -> Any:
    """A structure with the rows of its arrays, and all else as tensors.

    Args:
      structure: Of tensors and arrays.
      shapes: The arrays' elements' shapes, for those whose own is not known.

    Returns:
      The structure; None in the place of an array without a tensor.
    """
    known = iter(shapes)

    def leaf(x: Any) -> Any:
        if not isinstance(x, TensorArray):
            return _tensors(x)
        array, shape = stacked(x), next(known, None)
        return None if array._rows is None and shape is None else array._known(shape)

    return nest.map_structure(leaf, structure)


def _tensors(x: Any) -> Any:
    return nest.map_structure(_tensor, x, expand_composites=True)


def _tensor(x: Any) -> Any:
    return x if x is None else convert_to_tensor(x)


def closed(like: Any, structure: V) -> V:
    """A structure with arrays again, if `like` has `StackedArray`s."""
    if not has_arrays(like):
        return structure
    flat = [
        StackedArray(before, x, before._length) if isinstance(before, StackedArray) else x
        for before, x in zip(nest.flatten(like), nest.flatten(structure), strict=True)
    ]
    whole: V = nest.pack_sequence_as(structure, flat)
    return whole


def shapes_of(*structures: Any) -> list[Any]:
    """The arrays' elements' shapes in settled structures that are alike, None if unknown."""
    found = []
    for each in zip(*map(nest.flatten, structures), strict=True):
        arrays = [x for x in each if isinstance(x, StackedArray)]
        if arrays and len(arrays) < len(each):
            raise TypeError("a TensorArray in one place, something else in the same place")
        if arrays:
            rows = [x._rows for x in arrays if x._rows is not None]
            found.append(shape_of(rows[0])[1:] if rows else None)
    return found


class Parts(Generic[V]):
    """The tensors of a structure that a choice or loop gives out.

    What is None, and what composite tensors hold that is known and always the same (the shape of a
    sparse one, the rows of a ragged one), stays out.

    Args:
      structure: What is given out.
      other: What another branch or the next turn gives.
    """

    def __init__(self, structure: V, other: Any = None) -> None:
        self.like = structure
        self.flat = nest.flatten(structure, expand_composites=True)
        inside = [y for x in nest.flatten(structure) for y in _within(x)]
        others = self.flat if other is None else nest.flatten(other, expand_composites=True)
        self.steady = [
            x is None or (composite and _equal(x, y))
            for x, y, composite in zip(self.flat, others, inside, strict=True)
        ]

    def varying(self, structure: Any) -> list[Tensor]:
        """The tensors of such a structure."""
        flat = nest.flatten(structure, expand_composites=True)
        return [convert_to_tensor(x) for x, s in zip(flat, self.steady, strict=True) if not s]

    def packed(self, values: Sequence[Tensor]) -> V:
        """Such a structure of these tensors."""
        following = iter(values)
        pairs = zip(self.flat, self.steady, strict=True)
        flat = [x if steady else next(following) for x, steady in pairs]
        whole: V = nest.pack_sequence_as(self.like, flat, expand_composites=True)
        return whole


def _within(x: Any) -> list[bool]:
    """For each tensor of a leaf whether it is a part of a composite one."""
    flat = nest.flatten(x, expand_composites=True)
    return [flat[0] is not x] * len(flat) if flat else []


def _equal(x: Any, y: Any) -> bool:
    """Whether both are known, of whole numbers, and the same."""
    x, y = x._value, y._value
    known = isinstance(x, CONCRETE) and isinstance(y, CONCRETE)
    return known and x.dtype.kind == "i" and np.array_equal(x, y)
