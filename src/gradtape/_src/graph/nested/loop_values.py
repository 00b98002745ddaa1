"""The values that conditionals and loops carry, in which a `TensorArray` is a tensor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar

import numpy as np

from gradtape._src.base import nest
from gradtape._src.base.errors import OutOfRangeError
from gradtape._src.base.python_values import NotATensorError
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.primitive import Bound
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import integers
from gradtape._src.declare.eager_only import CONCRETE, active_compiler, can_grow, is_traced, scope
from gradtape._src.declare.general import general, shape_of
from gradtape._src.declare.structural import count, number, reshape_p, slice_p, zeros
from gradtape._src.declare.traits import Traits
from gradtape._src.declare.unknown_sizes import Size, is_unknown, surely_equal
from gradtape._src.graph.nested import uneven_arrays
from gradtape._src.graph.nested.uneven_arrays import UnevenArray
from gradtape._src.graph.tracing.trace_errors import cannot_compile
from gradtape._src.ops.array.creation import range as count_up
from gradtape._src.ops.array.gather import gather_p
from gradtape._src.ops.array.joining import concat, split, stack
from gradtape._src.ops.array.scatter import tensor_scatter_nd_update
from gradtape._src.ops.array.tensor_shapes import shape
from gradtape._src.ops.raw.list_values import TensorList
from gradtape._src.ops.raw.variant_handles import handle_of, held_by
from gradtape._src.ops.types.tensor_array import TensorArray

V = TypeVar("V")


def _grown(rows: Any, places: Any) -> Any:
    missing = int(places.max(initial=-1)) + 1 - len(rows)
    if missing <= 0:
        return rows
    return np.concatenate([rows, zeros((missing, *rows.shape[1:]), rows.dtype)])


def _cut(g: Any, rows_shape: Any) -> Any:
    return slice_p(g, begin=(0,) * len(rows_shape), end=rows_shape)


grown_p: Bound = general(
    "GrowRows",
    _grown,
    {"rows": _cut},
    batching="one by one",
    traits=Traits(result=lambda rows, _: ((None, *rows.shape[1:]), rows.dtype)),
)
"""Appends rows of zeros or empty strings to a tensor until it has a given number of rows."""


class StackedArray(TensorArray):
    """A `TensorArray` whose elements are the rows of a tensor.

    The indices that are written and read may therefore be known only when the program runs. If the
    elements' shape is unknown, there is no tensor before the first write. When an array of dynamic
    size grows, its tensor is replaced by one with more rows.
    """

    def __init__(self, like: TensorArray, rows: Tensor | None, size: Any) -> None:
        self.__dict__.update(like.__dict__)
        self._items, self._cleared, self._source, self._scope = [], set(), None, scope()
        self._rows, self._length = rows, size if rows is None else shape_of(rows)[0]
        if rows is not None:
            self._shape = self._shape.merge_with(rows.shape[1:])

    def _contents(self) -> list[Any]:
        return [self.size() if self._rows is None else self._rows]

    def _with(self, rows: Tensor) -> StackedArray:
        """Returns a new array with other elements."""
        return StackedArray(self, rows, self._length)

    def _known(self, shape: Sequence[int] | None = None) -> Tensor:
        """Returns the rows, with zeros for missing elements; may raise the errors of `_zeros`."""
        if self._rows is not None:
            return self._rows
        shape = shape_of(self._zeros()) if shape is None else shape
        return Tensor(zeros((self._length, *shape), self._dtype.np_dtype))

    def size(self, name: str | None = None) -> Tensor:
        """Returns the number of elements, an int32 scalar."""
        return Tensor(number(self._length, np.dtype(np.int32)))

    def close(self, name: str | None = None) -> None:
        """Discards all elements."""
        self._rows, self._length = None, 0

    def write(self, index: Any, value: Any, name: str | None = None) -> TensorArray:
        """Writes an element; see `TensorArray.write`."""
        x = self._checked(value)
        place = reshape_p(self._place(index), shape=(1, 1))
        if self._may_be_uneven(shape_of(x)):
            return uneven_arrays.of_rows(self, self._rows, shape_of(x)[1:]).write(index, x)
        known = self._known(shape_of(x))
        if not self._infer and not surely_equal(shape_of(known)[1:], shape_of(x)):
            active_compiler().refuse("a TensorArray whose elements have different shapes")
        rows = self._grown(known, place)
        update = reshape_p(x, shape=(1, *shape_of(x)))
        return self._with(tensor_scatter_nd_update(rows, place, update))

    def _may_be_uneven(self, shape: Any) -> bool:
        """Whether an element of this shape may differ in length from the other elements."""
        if self._infer or not shape or not can_grow():
            return False
        if self._rows is None:
            return type(shape[0]) is Size
        own = shape_of(self._rows)[1:]
        return not surely_equal(own, shape) and surely_equal(own[1:], shape[1:])

    def _grown(self, rows: Tensor, places: Tensor) -> Tensor:
        """Returns the rows, extended so that the given indices can be written."""
        return grown_p(rows, places) if self._dynamic else rows

    def _place(self, index: Any) -> Tensor:
        place: Tensor = convert_to_tensor(index)
        if self._dynamic or can_grow() or type(self._length) is Size or is_traced(place):
            return place
        if not 0 <= int(place._value) < self._length:
            raise OutOfRangeError(
                None, None, f"index {int(place._value)} of a TensorArray of size {self._length}"
            )
        return place

    def read(self, index: Any, name: str | None = None) -> Tensor:
        """Reads an element; see `TensorArray.read`."""
        place = self._place(index)
        return gather_p(self._known(), place, axis=0, batch_dims=0)

    def stack(self, name: str | None = None) -> Tensor:
        """Stacks all elements along a new first axis."""
        return self._known()

    def gather(self, indices: Any, name: str | None = None) -> Tensor:
        """Stacks some elements along a new first axis."""
        if isinstance(indices, range):
            indices = list(indices)
        places = convert_to_tensor(indices)
        return gather_p(self._known(), places, axis=0, batch_dims=0)

    def concat(self, name: str | None = None) -> Tensor:
        """Concatenates all elements along their first axis."""
        rows = self._known()
        n, first, *rest = shape_of(rows)
        return reshape_p(rows, shape=(n * first, *rest))

    def unstack(self, value: Any, name: str | None = None) -> TensorArray:
        """Writes the rows of a tensor to the first elements."""
        x = convert_to_tensor(value, dtype_hint=self._dtype)
        if self._rows is None and surely_equal(shape_of(x)[:1], (self._length,)):
            return self._with(x)
        if self._dynamic or is_unknown((shape_of(x)[0], self._length)):
            return self.scatter(count_up(shape(x)[0]), x)
        return super().unstack(x)

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
        """Writes the rows of a tensor to the given indices."""
        x = convert_to_tensor(value, dtype_hint=self._dtype)
        places = convert_to_tensor(indices)
        places = reshape_p(places, shape=(count(shape_of(places)), 1))
        rows = self._grown(self._known(shape_of(x)[1:]), places)
        return self._with(tensor_scatter_nd_update(rows, places, x))

    def split(self, value: Any, lengths: Any, name: str | None = None) -> TensorArray:
        """Splits a tensor into parts of equal length, and writes them to the first elements."""
        x = convert_to_tensor(value, dtype_hint=self._dtype)
        return self._fill(split(x, integers(lengths, "TensorArray").reshape(-1)))


def stacked(array: TensorArray) -> StackedArray | UnevenArray:
    """Returns an array with its elements as the rows of one tensor, which may be ragged.

    Raises:
      UnimplementedError: `array` has a dynamic size.
    """
    if isinstance(array, (StackedArray, UnevenArray)):
        return array
    if not array.can_be_stacked:
        active_compiler().refuse("the gradient of a TensorArray of TensorFlow 1")
    items = array._items
    if array._open is not None:
        return StackedArray(array, None, array._open)
    if array.dynamic_size and not can_grow():
        raise cannot_compile(
            "a TensorArray that grows",
            "XLA's shapes are fixed. Give it the size that it has in the end: "
            "tf.TensorArray(dtype, size)",
        )
    rows = array._source
    shapes = [shape_of(x) for x in items if x is not None]
    if any(a and not surely_equal(a[:1], shapes[0][:1]) for a in shapes) and can_grow():
        return uneven_arrays.of_items(array, items)
    if rows is None and items and not all(x is None for x in items):
        rows = stack([array._zeros() if x is None else x for x in items])
    elif rows is None and array.element_shape.is_fully_defined():
        rows = StackedArray(array, None, len(items))._known()
    return StackedArray(array, rows, len(items))


# Arrays in the structures that conditionals return and loops carry. Scalars that hold raw lists of
# tensors are carried as the arrays of their elements.


def settled(structure: V) -> V:
    """Converts the arrays in a structure to `StackedArray`s, and all other leaves to tensors."""

    def leaf(x: Any) -> Any:
        array = _elements(x)
        if array is not None:
            return stacked(array)
        return nest.map_structure(_tensor, x, expand_composites=True)

    found: V = nest.map_structure(leaf, structure)
    return found


def _elements(x: Any) -> TensorArray | None:
    """Returns an array, or the elements of the list that a scalar holds; None for other values."""
    if isinstance(x, TensorArray):
        return x
    found = held_by(x)
    if found is None or len(found) != 1 or not isinstance(found[0], TensorList):
        return None
    return found[0].array


def arranged(structure: V, shapes: Sequence[Any]) -> V:
    """Gives the arrays in a structure the form that they have in all branches or iterations.

    Args:
      structure: A structure of tensors and arrays.
      shapes: The result of `shapes_of`, for arrays that have no elements yet or become uneven.
    """
    known = iter(shapes)

    def leaf(x: Any) -> Any:
        if not isinstance(x, TensorArray):
            return x
        shape = next(known)
        if not isinstance(x, StackedArray):
            return x
        if type(shape) is _OfUneven:
            return uneven_arrays.of_rows(x, x._rows, shape)
        return x if shape is None or x._rows is not None else x._with(x._known(shape))

    found: V = nest.map_structure(leaf, structure)
    return found


def _tensor(x: Any) -> Any:
    try:
        return x if x is None else convert_to_tensor(x)
    except NotATensorError:
        raise TypeError(
            "To be compatible with tf.function, conditionals and loops must have zero or more "
            "Tensors or ExtensionTypes or None values; found a value of type "
            f"{type(x).__name__}, which is not a Tensor or ExtensionType."
        ) from None


class _OfUneven(tuple[Any, ...]):
    """The shape of the elements of an `UnevenArray`, without their first axis."""

    __slots__ = ()


def shapes_of(*structures: Any) -> list[Any]:
    """Returns the shapes of the arrays' elements in similar structures; None if unknown."""
    found: list[Any] = []
    for each in zip(*map(nest.flatten, structures), strict=True):
        arrays = [x for x in each if isinstance(x, (StackedArray, UnevenArray))]
        if arrays and len(arrays) < len(each):
            raise TypeError(
                "only one of two branches or iterations has a TensorArray at this position"
            )
        ragged = [x for x in arrays if isinstance(x, UnevenArray)]
        if ragged:
            found.append(_OfUneven(ragged[0].rest))
        elif arrays:
            rows = [x._rows for x in arrays if isinstance(x, StackedArray) and x._rows is not None]
            found.append(shape_of(rows[0])[1:] if rows else None)
    return found


class Parts(Generic[V]):
    """The tensors of a structure that a conditional or loop returns.

    None, and constant parts of composite tensors (the shape of a sparse one, the rows of a ragged
    one), are left out.

    Args:
      structure: The returned structure, whose arrays are arranged.
      other: The structure of another branch or of the next iteration.
    """

    def __init__(self, structure: V, other: Any = None) -> None:
        self.like = structure
        leaves = [(x, tensors_of(x)) for x in nest.flatten(structure)]
        inside = [not isinstance(x, (Tensor, StackedArray)) for x, parts in leaves for _ in parts]
        self.flat = [y for _, parts in leaves for y in parts]
        others = self.flat if other is None else _flattened(other)
        self.steady = [
            x is None or (composite and _equal(x, y))
            for x, y, composite in zip(self.flat, others, inside, strict=True)
        ]

    def varying(self, structure: Any) -> list[Tensor]:
        """Returns the tensors of such a structure."""
        pairs = zip(_flattened(structure), self.steady, strict=True)
        return [convert_to_tensor(x) for x, steady in pairs if not steady]

    def packed(self, values: Sequence[Tensor]) -> V:
        """Returns such a structure, made from the given tensors."""
        following = iter(values)
        pairs = zip(self.flat, self.steady, strict=True)
        flat = iter([x if steady else next(following) for x, steady in pairs])
        whole: V = nest.map_structure(lambda x: _with_tensors(x, flat), self.like)
        return whole


def tensors_of(x: Any) -> list[Any]:
    """Returns the tensors that a leaf consists of, or None for an array without any."""
    if isinstance(x, StackedArray):
        return [x._rows]
    return nest.flatten(x._ragged if isinstance(x, UnevenArray) else x, expand_composites=True)


def _flattened(structure: Any) -> list[Any]:
    return [y for x in nest.flatten(structure) for y in tensors_of(x)]


def _with_tensors(x: Any, tensors: Iterator[Any]) -> Any:
    """Returns a leaf that consists of the next tensors; a list in place of the array of a list."""
    if isinstance(x, StackedArray):
        array: TensorArray = x._with(next(tensors))
    elif isinstance(x, UnevenArray):
        array = UnevenArray(x, _with_tensors(x._ragged, tensors))
    else:
        parts = [next(tensors) for _ in tensors_of(x)]
        return nest.pack_sequence_as(x, parts, expand_composites=True)
    return array if array._limit is None else handle_of(TensorList(array))


def _equal(x: Any, y: Any) -> bool:
    """Whether both are known, of integer dtype, and equal."""
    x, y = x._value, y._value
    known = isinstance(x, CONCRETE) and isinstance(y, CONCRETE)
    return known and x.dtype.kind == "i" and np.array_equal(x, y)
