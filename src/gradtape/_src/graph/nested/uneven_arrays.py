"""`TensorArray`s whose elements have different lengths, in conditionals and loops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import int64
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.eager_only import active_compiler, scope
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.graph_operations import deferrable
from gradtape._src.declare.structural import zeros
from gradtape._src.declare.unknown_sizes import surely_equal
from gradtape._src.ops.array.creation import fill
from gradtape._src.ops.array.creation import range as count_up
from gradtape._src.ops.array.gather import gather
from gradtape._src.ops.array.joining import concat, stack
from gradtape._src.ops.array.shaping import reshape
from gradtape._src.ops.array.tensor_shapes import shape
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.elementwise.selection import where
from gradtape._src.ops.types.ragged_tensor import RaggedTensor
from gradtape._src.ops.types.tensor_array import TensorArray


class UnevenArray(TensorArray):
    """A `TensorArray` whose elements are the rows of a ragged tensor.

    Args:
      like: The array whose properties it has.
      rows: The elements. One that was not written has no rows.
    """

    def __init__(self, like: TensorArray, rows: RaggedTensor) -> None:
        self.__dict__.update(like.__dict__)
        self._items, self._cleared, self._source, self._scope = [], set(), None, scope()
        self._ragged = rows

    def _contents(self) -> list[Any]:
        return [self._ragged.values, self._ragged.row_splits]

    @property
    def rest(self) -> tuple[Any, ...]:
        """The shape of the elements without their first axis."""
        return tuple(shape_of(self._ragged.values)[1:])

    def size(self, name: str | None = None) -> Tensor:
        """Returns the number of elements, an int32 scalar."""
        return shape(self._ragged.row_splits)[0] - 1

    def write(self, index: Any, value: Any, name: str | None = None) -> TensorArray:
        """Writes an element; see `TensorArray.write`."""
        x, place = self._checked(value), cast(index, int64)
        if not surely_equal(shape_of(x)[1:], self.rest):
            active_compiler().refuse(
                "a TensorArray whose elements differ in other axes than the first"
            )
        splits, values = self._ragged.row_splits, self._ragged.values
        if self._dynamic:
            missing = place + 2 - shape(splits, int64)[0]
            missing = where(missing > 0, missing, np.int64(0))
            splits = concat([splits, fill([missing], splits[-1])], 0)
        start, stop = splits[place], splits[place + 1]
        more = shape(x, int64)[0] - (stop - start)
        after = count_up(shape(splits, int64)[0]) > place
        values = concat([values[:start], x, values[stop:]], 0)
        splits = where(after, splits + more, splits)
        return UnevenArray(self, RaggedTensor.from_row_splits(values, splits, validate=False))

    def read(self, index: Any, name: str | None = None) -> Tensor:
        """Reads an element; see `TensorArray.read`."""
        place, splits = cast(index, int64), self._ragged.row_splits
        found: Tensor = self._ragged.values[splits[place] : splits[place + 1]]
        return found

    def concat(self, name: str | None = None) -> Tensor:
        """Concatenates all elements along their first axis."""
        found: Tensor = self._ragged.values
        return found

    def stack(self, name: str | None = None) -> Tensor:
        """Stacks all elements, which must have the same length, along a new first axis."""
        found: Tensor = deferrable(reshape)(self._ragged.values, [self.size(), -1, *self.rest])
        return found

    def gather(self, indices: Any, name: str | None = None) -> Tensor:
        """Stacks some elements; all elements must have the same length."""
        found: Tensor = gather(
            self.stack(), list(indices) if isinstance(indices, range) else indices
        )
        return found

    def scatter(self, indices: Any, value: Any, name: str | None = None) -> TensorArray:
        """Writes the rows of a tensor to the given indices."""
        active_compiler().refuse("rows written to a TensorArray of different lengths")
        return self

    def unstack(self, value: Any, name: str | None = None) -> TensorArray:
        """Writes the rows of a tensor to the first elements."""
        active_compiler().refuse("rows written to a TensorArray of different lengths")
        return self


def of_items(like: TensorArray, items: Sequence[Any]) -> UnevenArray:
    """Returns an array with these elements, or None in place of one that was not written."""
    rest = shape_of(next(x for x in items if x is not None))[1:]
    none = Tensor(zeros((0, *rest), like.dtype.np_dtype))
    parts = [none if x is None else x for x in items]
    lengths = stack([shape(x, int64)[0] for x in parts])
    values = concat(parts, 0)
    return UnevenArray(like, RaggedTensor.from_row_lengths(values, lengths, validate=False))


def of_rows(like: TensorArray, rows: Tensor | None, rest: Sequence[Any]) -> UnevenArray:
    """Returns an array whose elements may get different lengths.

    Args:
      like: The array whose properties it has.
      rows: Its elements, if any was written.
      rest: The shape of the elements without their first axis.
    """
    ends = cast(count_up(like.size() + 1), int64)
    if rows is None:
        values, splits = Tensor(zeros((0, *rest), like.dtype.np_dtype)), ends * 0
    else:
        values, splits = like.concat(), ends * shape(rows, int64)[1]
    return UnevenArray(like, RaggedTensor.from_row_splits(values, splits, validate=False))
