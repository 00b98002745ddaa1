"""`RaggedTensor`: rows of different lengths."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Literal, cast, overload

import numpy as np

from gradtape._src.base.composite_tensor import CompositeTensor
from gradtape._src.base.dispatch import expect_composites
from gradtape._src.base.dtypes import DType, as_dtype, float32, int64
from gradtape._src.base.export import export
from gradtape._src.base.nest import Container, register_composite
from gradtape._src.base.shapes import TensorShape, as_shape
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.structural import count
from gradtape._src.declare.unknown_sizes import may_be_equal
from gradtape._src.ops.array.gather import gather
from gradtape._src.ops.elementwise import arithmetic, comparison, division, logical, powers
from gradtape._src.ops.types.composite_operators import compared, no_operator
from gradtape._src.ops.types.ragged_rows import (
    checked_splits,
    height_of,
    lengths_of_rows,
    row_count,
    row_ids,
    splits_of_ids,
    splits_of_lengths,
    splits_of_limits,
    splits_of_starts,
)
from gradtape._src.ops.types.ragged_slicing import merge_dims, part
from gradtape._src.ops.types.ragged_to_tensor import cut_rows, padded, places
from gradtape._src.ops.types.specs import TypeSpec


@export("RaggedTensor")
class RaggedTensor(CompositeTensor):
    """Rows of different lengths: all rows one after the other, and where each begins.

    Programs make them with `from_row_splits`, `from_row_lengths`, `from_tensor` or
    `tf.ragged.constant`.
    """

    __slots__ = ("__weakref__", "_row_splits", "_uniform", "_values")
    __array_priority__ = 100  # a NumPy scalar on the left of an operator gives way
    has_operators = has_equality = True

    def __init__(self, values: Any, row_splits: Tensor, uniform: int | None = None) -> None:
        expect_composites()
        self._values = values
        self._row_splits = row_splits
        self._uniform = uniform  # the length of all rows, where it is known to be one

    @classmethod
    def from_row_splits(
        cls, values: Any, row_splits: Any, name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
        """Rows `values[row_splits[i]:row_splits[i + 1]]`.

        Args:
          values: All rows one after the other; a tensor or a ragged tensor.
          row_splits: Where each row begins, and the end of the last.
          name: Accepted for compatibility.
          validate: Whether to check the splits.

        Raises:
          ValueError: The splits don't rise from 0 to the number of values.
        """
        values = values if isinstance(values, RaggedTensor) else tensor(values)
        splits = convert_to_tensor(row_splits, dtype_hint=int64)
        return cls(values, checked_splits(splits, values) if validate else Tensor(splits._value))

    @classmethod
    def from_row_lengths(
        cls, values: Any, row_lengths: Any, name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
        """Rows of the given lengths; arguments and errors as `from_row_splits`."""
        splits = splits_of_lengths(convert_to_tensor(row_lengths, dtype_hint=int64))
        return cls.from_row_splits(values, splits, validate=validate)

    @classmethod
    def from_row_starts(
        cls, values: Any, row_starts: Any, name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
        """Rows that begin at the given places; arguments and errors as `from_row_splits`."""
        starts = convert_to_tensor(row_starts, dtype_hint=int64)
        values = values if isinstance(values, RaggedTensor) else tensor(values)
        splits = splits_of_starts(starts, height_of(values, starts.dtype))
        return cls.from_row_splits(values, splits, validate=validate)

    @classmethod
    def from_row_limits(
        cls, values: Any, row_limits: Any, name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
        """Rows that end before the given places; arguments and errors as `from_row_splits`."""
        splits = splits_of_limits(convert_to_tensor(row_limits, dtype_hint=int64))
        return cls.from_row_splits(values, splits, validate=validate)

    @classmethod
    def from_value_rowids(
        cls,
        values: Any,
        value_rowids: Any,
        nrows: Any = None,
        name: str | None = None,
        validate: bool = True,
    ) -> RaggedTensor:
        """Rows by the number of the row that each value belongs to.

        Args:
          values: All rows one after the other.
          value_rowids: The rows' numbers, which don't fall.
          nrows: The number of rows; by default up to the last number.
          name: Accepted for compatibility.
          validate: Whether to check the numbers.

        Raises:
          ValueError: The numbers fall, or lie beyond `nrows`.
        """
        ids = convert_to_tensor(value_rowids, dtype_hint=int64)
        splits = splits_of_ids(ids, nrows, validate)
        return cls.from_row_splits(values, splits, validate=validate)

    @classmethod
    def from_uniform_row_length(
        cls,
        values: Any,
        uniform_row_length: Any,
        nrows: Any = None,
        name: str | None = None,
        validate: bool = True,
    ) -> RaggedTensor:
        """Rows of one length.

        Args:
          values: All rows one after the other.
          uniform_row_length: The length.
          nrows: The number of rows, which must be said where the length is 0.
          name: Accepted for compatibility.
          validate: Accepted for compatibility.

        Raises:
          ValueError: The values are no multiple of the length, or `nrows` of them.
        """
        values = values if isinstance(values, RaggedTensor) else tensor(values)
        n, total = int(uniform_row_length), _length(values)
        rows = (total // n if n else 0) if nrows is None else int(nrows)
        if rows * n != total:
            raise ValueError(
                f"RaggedTensor.from_uniform_row_length: {total} values do not make {rows} rows of "
                f"length {n}"
            )
        return cls(values, Tensor(np.arange(rows + 1, dtype=np.int64) * n), n)

    @classmethod
    def from_nested_row_splits(
        cls,
        flat_values: Any,
        nested_row_splits: Any,
        name: str | None = None,
        validate: bool = True,
    ) -> RaggedTensor:
        """Rows of rows: the splits of the outermost axis first."""
        made: RaggedTensor = flat_values
        for splits in reversed(list(nested_row_splits)):
            made = cls.from_row_splits(made, splits, validate=validate)
        return made

    @classmethod
    def from_tensor(
        cls,
        tensor: Any,
        lengths: Any = None,
        padding: Any = None,
        ragged_rank: int = 1,
        name: str | None = None,
        row_splits_dtype: Any = int64,
    ) -> RaggedTensor:
        """The rows of a tensor, perhaps cut to lengths or without their padding.

        Args:
          tensor: A tensor of rank 2 at least.
          lengths: The lengths of the rows.
          padding: The value that rows are filled up with at their ends.
          ragged_rank: How many axes become ragged; all but the last of them keep their lengths.
          name: Accepted for compatibility.
          row_splits_dtype: int32 or int64.

        Raises:
          ValueError: `lengths` and `padding` are both given, or the rank is too small.
        """
        if lengths is not None and padding is not None:
            raise ValueError("Specify argument `lengths` or `padding`, but not both.")
        x = convert_to_tensor(tensor)
        shape = shape_of(x)
        if not 1 <= ragged_rank < len(shape):
            raise ValueError(
                f"RaggedTensor.from_tensor: ragged_rank={ragged_rank} must be in [1, {len(shape)}) "
                f"for a tensor of shape {shape}"
            )
        *lead, m = shape[: ragged_rank + 1]
        flat, kept = cut_rows(x, ragged_rank, lengths, padding)
        dtype = as_dtype(row_splits_dtype).np_dtype
        known = m if lengths is None and padding is None else None
        out = cls.from_row_lengths(flat, kept.astype(dtype))._with_length(known)
        for n, outer in zip(lead[:0:-1], range(len(lead) - 1, 0, -1), strict=True):
            out = cls(out, Tensor(np.arange(count(lead[:outer]) + 1, dtype=dtype) * n), n)
        return out

    def with_values(self, new_values: Any) -> RaggedTensor:
        """Rows of these lengths with other values; `from_row_splits` tells arguments and errors."""
        values = new_values if isinstance(new_values, RaggedTensor) else tensor(new_values)
        if not may_be_equal([_length(values)], [_length(self._values)]):
            raise ValueError(
                f"RaggedTensor.with_values: new_values must have {_length(self._values)} rows, got "
                f"{_length(values)}"
            )
        return RaggedTensor(values, self._row_splits, self._uniform)

    def _with_length(self, length: int | None) -> RaggedTensor:
        """These rows, of which one length is known; None: they may differ."""
        return RaggedTensor(self._values, self._row_splits, length)

    def with_flat_values(self, new_values: Any) -> RaggedTensor:
        """Rows of these lengths with other innermost values."""
        inner = self._values
        nested = isinstance(inner, RaggedTensor)
        return self.with_values(inner.with_flat_values(new_values) if nested else new_values)

    @property
    def values(self) -> Any:
        """All rows one after the other."""
        return self._values

    @property
    def flat_values(self) -> Tensor:
        """The innermost values."""
        inner = self._values
        return inner.flat_values if isinstance(inner, RaggedTensor) else inner

    @property
    def row_splits(self) -> Tensor:
        """Where each row begins, and the end of the last."""
        return self._row_splits

    @property
    def ragged_rank(self) -> int:
        """How many axes are ragged."""
        inner = self._values
        return 1 + (inner.ragged_rank if isinstance(inner, RaggedTensor) else 0)

    @property
    def shape(self) -> TensorShape:
        """The shape, None along ragged axes."""
        inner, rows = self._values.shape.as_list(), self._height()
        return TensorShape([rows if type(rows) is int else None, self._uniform, *inner[1:]])

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        out: DType = self._values.dtype
        return out

    def nrows(self, out_type: Any = None, name: str | None = None) -> Tensor:
        """The number of rows."""
        dtype = as_dtype(out_type).np_dtype if out_type else self._row_splits.dtype.np_dtype
        rows = self._height()
        return Tensor(dtype.type(rows)) if type(rows) is int else row_count(self._row_splits, dtype)

    def _splits(self) -> np.ndarray[Any, Any]:
        return np.asarray(self._row_splits._value)

    def _height(self) -> int:
        """The number of rows."""
        rows: int = self._row_splits._value.shape[0] - 1
        return rows

    def value_rowids(self, name: str | None = None) -> Tensor:
        """Of each value the number of its row."""
        return row_ids(self._row_splits, self._values)

    def row_starts(self, name: str | None = None) -> Tensor:
        """Where each row begins."""
        return self._row_splits[:-1]

    def row_limits(self, name: str | None = None) -> Tensor:
        """Where each row ends."""
        return self._row_splits[1:]

    @property
    def uniform_row_length(self) -> Tensor | None:
        """The length of all rows where it is known to be one; None for ragged rows."""
        dtype = self._row_splits.dtype.np_dtype
        return None if self._uniform is None else Tensor(dtype.type(self._uniform))

    @property
    def nested_row_splits(self) -> tuple[Tensor, ...]:
        """The row splits of each ragged axis, the outermost first."""
        inner = self._values
        more = inner.nested_row_splits if isinstance(inner, RaggedTensor) else ()
        return (self._row_splits, *more)

    def nested_row_lengths(self, name: str | None = None) -> tuple[Tensor, ...]:
        """The row lengths of each ragged axis, the outermost first."""
        return tuple(lengths_of_rows(s) for s in self.nested_row_splits)

    def bounding_shape(
        self, axis: int | None = None, name: str | None = None, out_type: Any = None
    ) -> Tensor:
        """The shape of the smallest tensor that holds all rows, or its length along an axis."""
        _, size = self._places()
        whole = [*size, *shape_of(self.flat_values)[1:]]
        dtype = as_dtype(out_type).np_dtype if out_type else self._splits().dtype
        lengths = np.array(whole, dtype)
        return Tensor(lengths if axis is None else lengths[axis])

    def merge_dims(self, outer_axis: int, inner_axis: int) -> Tensor | RaggedTensor:
        """The values with a range of axes made one.

        Args:
          outer_axis: The first of them.
          inner_axis: The last.

        Raises:
          ValueError: They are not 0 <= outer_axis <= inner_axis < rank.
        """
        return merge_dims(self, outer_axis, inner_axis)

    @overload
    def row_lengths(self, axis: Literal[1] = 1, name: str | None = None) -> Tensor: ...
    @overload
    def row_lengths(self, axis: int, name: str | None = None) -> Tensor | RaggedTensor: ...
    def row_lengths(self, axis: int = 1, name: str | None = None) -> Tensor | RaggedTensor:
        """The lengths of the rows, or of those along another axis; ragged for one further in."""
        inner = self._values
        axis = axis + len(self.shape) if axis < 0 else axis
        if not axis:
            return self.nrows()
        if axis == 1:
            return lengths_of_rows(self._row_splits)
        if isinstance(inner, RaggedTensor):
            return self.with_values(inner.row_lengths(axis - 1))
        shape = shape_of(inner)
        kind = np.asarray(self._row_splits).dtype
        return self.with_values(Tensor(np.full(shape[: axis - 1], shape[axis - 1], kind)))

    def _rows(self) -> list[Any]:
        inner = self._values
        flat: Any = inner.to_list() if isinstance(inner, RaggedTensor) else np.asarray(inner)
        splits = np.asarray(self._row_splits).tolist()
        return [flat[a:b] for a, b in pairwise(splits)]

    def to_list(self) -> list[Any]:
        """Nested Python lists."""
        return [row.tolist() if isinstance(row, np.ndarray) else row for row in self._rows()]

    def numpy(self) -> np.ndarray[Any, Any]:
        """An array of rows; of dtype object where their lengths differ."""
        rows = self._rows()
        if len({len(row) for row in rows}) < 2:
            return np.array(rows)
        out = np.empty(len(rows), object)
        out[:] = [np.array(row) for row in rows]
        return out

    def to_tensor(
        self, default_value: Any = None, name: str | None = None, shape: Any = None
    ) -> Tensor:
        """A tensor with short rows filled up.

        Args:
          default_value: What to fill with; zero by default.
          name: Accepted for compatibility.
          shape: The shape of the result; what is unknown in it fits the longest row.
        """
        return padded(self, default_value, shape)

    def _places(self) -> tuple[np.ndarray[Any, Any], list[int]]:
        """Of each innermost value its place along each axis, and how long the axes must be."""
        return places(self)

    def _each_row(self) -> list[Any]:
        return [gather(self, i) for i in range(self._height())]

    def _differentiable(self) -> Tensor:
        return self.flat_values

    def _with_gradient(self, gradient: Any) -> RaggedTensor:
        return self.with_flat_values(gradient)

    @property
    def _type_spec(self) -> RaggedTensorSpec:
        splits = self._row_splits.dtype
        return RaggedTensorSpec(self.shape, self.dtype, self.ragged_rank, splits)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._each_row())

    def __getitem__(self, key: Any) -> Any:
        return part(self, key)

    def __add__(self, other: Any) -> RaggedTensor:
        return cast("RaggedTensor", arithmetic.add(self, other))

    def __radd__(self, other: Any) -> RaggedTensor:
        return cast("RaggedTensor", arithmetic.add(other, self))

    def __sub__(self, other: Any) -> RaggedTensor:
        return cast("RaggedTensor", arithmetic.subtract(self, other))

    def __rsub__(self, other: Any) -> RaggedTensor:
        return cast("RaggedTensor", arithmetic.subtract(other, self))

    def __mul__(self, other: Any) -> RaggedTensor:
        return cast("RaggedTensor", arithmetic.multiply(self, other))

    def __rmul__(self, other: Any) -> RaggedTensor:
        return cast("RaggedTensor", arithmetic.multiply(other, self))

    def __truediv__(self, other: Any) -> RaggedTensor:
        return cast("RaggedTensor", division.truediv(self, other))

    def __rtruediv__(self, other: Any) -> RaggedTensor:
        return cast("RaggedTensor", division.truediv(other, self))

    def __floordiv__(self, other: Any) -> RaggedTensor:
        return cast("RaggedTensor", division.floordiv(self, other))

    def __rfloordiv__(self, other: Any) -> RaggedTensor:
        return cast("RaggedTensor", division.floordiv(other, self))

    def __mod__(self, other: Any) -> RaggedTensor:
        return cast("RaggedTensor", division.floormod(self, other))

    def __rmod__(self, other: Any) -> RaggedTensor:
        return cast("RaggedTensor", division.floormod(other, self))

    def __pow__(self, other: Any) -> RaggedTensor:
        return cast("RaggedTensor", powers.pow(self, other))

    def __rpow__(self, other: Any) -> RaggedTensor:
        return cast("RaggedTensor", powers.pow(other, self))

    def __and__(self, other: Any) -> RaggedTensor:
        return cast("RaggedTensor", logical.logical_and(self, other))

    def __rand__(self, other: Any) -> RaggedTensor:
        return cast("RaggedTensor", logical.logical_and(other, self))

    def __or__(self, other: Any) -> RaggedTensor:
        return cast("RaggedTensor", logical.logical_or(self, other))

    def __ror__(self, other: Any) -> RaggedTensor:
        return cast("RaggedTensor", logical.logical_or(other, self))

    def __xor__(self, other: Any) -> RaggedTensor:
        return cast("RaggedTensor", logical.logical_xor(self, other))

    def __rxor__(self, other: Any) -> RaggedTensor:
        return cast("RaggedTensor", logical.logical_xor(other, self))

    def __lt__(self, other: Any) -> RaggedTensor:
        return cast("RaggedTensor", comparison.less(self, other))

    def __le__(self, other: Any) -> RaggedTensor:
        return cast("RaggedTensor", comparison.less_equal(self, other))

    def __gt__(self, other: Any) -> RaggedTensor:
        return cast("RaggedTensor", comparison.greater(self, other))

    def __ge__(self, other: Any) -> RaggedTensor:
        return cast("RaggedTensor", comparison.greater_equal(self, other))

    def __neg__(self) -> RaggedTensor:
        return cast("RaggedTensor", arithmetic.negative(self))

    def __abs__(self) -> RaggedTensor:
        return cast("RaggedTensor", arithmetic.abs(self))

    def __invert__(self) -> RaggedTensor:
        return cast("RaggedTensor", logical.logical_not(self))

    def __eq__(self, other: object) -> Any:
        return compared(comparison.equal, self, other, different=False)

    def __ne__(self, other: object) -> Any:
        return compared(comparison.not_equal, self, other, different=True)

    def __rmatmul__(self, other: Any) -> Any:
        return no_operator("matmul", self, other)

    def __hash__(self) -> int:
        raise TypeError("RaggedTensor is unhashable.")

    def __bool__(self) -> bool:
        raise TypeError("RaggedTensor may not be used as a boolean.")

    def __reduce__(self) -> tuple[type[RaggedTensor], tuple[Any, ...]]:
        return RaggedTensor, (self._values, self._row_splits, self._uniform)

    def __repr__(self) -> str:
        return f"<tf.RaggedTensor {self.to_list()}>"


def _length(values: Any) -> int:
    return values._height() if isinstance(values, RaggedTensor) else shape_of(values)[0]


@export("RaggedTensorSpec")
class RaggedTensorSpec(TypeSpec):
    """The shape and dtype of a `RaggedTensor`.

    Args:
      shape: What is known of the shape, None along ragged axes.
      dtype: The type of the elements.
      ragged_rank: How many axes are ragged.
      row_splits_dtype: The type of the row splits.
    """

    __slots__ = ("_dtype", "_ragged_rank", "_row_splits_dtype", "_shape")

    def __init__(
        self,
        shape: Any = None,
        dtype: Any = float32,
        ragged_rank: int | None = None,
        row_splits_dtype: Any = int64,
    ) -> None:
        self._shape = as_shape(shape)
        self._dtype = as_dtype(dtype)
        self._row_splits_dtype = as_dtype(row_splits_dtype)
        self._ragged_rank = (self._shape.rank or 1) - 1 if ragged_rank is None else ragged_rank

    @property
    def shape(self) -> TensorShape:
        """What is known of the shape."""
        return self._shape

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        return self._dtype

    @property
    def ragged_rank(self) -> int:
        """How many axes are ragged."""
        return self._ragged_rank

    @property
    def row_splits_dtype(self) -> DType:
        """The type of the row splits."""
        return self._row_splits_dtype

    @property
    def value_type(self) -> type[RaggedTensor]:
        """The class of what is described."""
        return RaggedTensor

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RaggedTensorSpec) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[Any, ...]:
        return self._shape, self._dtype, self._ragged_rank, self._row_splits_dtype

    def __repr__(self) -> str:
        return (
            f"RaggedTensorSpec({self._shape!r}, {self._dtype!r}, {self._ragged_rank}, "
            f"{self._row_splits_dtype!r})"
        )


register_composite(
    RaggedTensor,
    Container(
        lambda x: [x.values, x.row_splits],
        lambda like, parts: RaggedTensor(parts[0], parts[1], like._uniform),
    ),
)
