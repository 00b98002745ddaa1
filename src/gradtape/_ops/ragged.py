"""`RaggedTensor`: rows of different lengths."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from gradtape._base.composite import CompositeTensor
from gradtape._base.dtypes import DType, as_dtype, float32, int64, string
from gradtape._base.nest import Container, register_composite
from gradtape._base.python_values import raw
from gradtape._base.shapes import TensorShape, as_shape
from gradtape._core.convert import convert_to_tensor, tensor
from gradtape._core.tensor import Tensor
from gradtape._ops.families import broadcast_to_p, count, reshape_p, shape_of
from gradtape._ops.rows import gather_p
from gradtape._ops.scatter import put_rows_p
from gradtape._ops.specs import TypeSpec


class RaggedTensor(CompositeTensor):
    """Rows of different lengths: all rows one after the other, and where each begins.

    Programs make them with `from_row_splits`, `from_row_lengths`, `from_tensor` or
    `tf.ragged.constant`.
    """

    __slots__ = ("__weakref__", "_row_splits", "_values")

    def __init__(self, values: Any, row_splits: Tensor) -> None:
        self._values = values
        self._row_splits = row_splits

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
        splits = np.asarray(convert_to_tensor(row_splits, dtype_hint=int64))
        if validate:
            count = int(values.nrows() if isinstance(values, RaggedTensor) else values.shape[0])
            if (
                splits.ndim != 1
                or not splits.size
                or splits[0]
                or splits[-1] != count
                or (np.diff(splits) < 0).any()
            ):
                raise ValueError(
                    f"RaggedTensor.from_row_splits: row_splits must rise from 0 to the number of "
                    f"values, {count}; got {splits.tolist()}"
                )
        return cls(values, Tensor(splits))

    @classmethod
    def from_row_lengths(
        cls, values: Any, row_lengths: Any, name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
        """Rows of the given lengths; arguments and errors as `from_row_splits`."""
        lengths = np.asarray(convert_to_tensor(row_lengths, dtype_hint=int64))
        splits = np.concatenate([[0], np.cumsum(lengths)]).astype(lengths.dtype)
        return cls.from_row_splits(values, splits, validate=validate)

    @classmethod
    def from_tensor(cls, tensor: Any, name: str | None = None) -> RaggedTensor:
        """The rows of a matrix, all of one length."""
        x = convert_to_tensor(tensor)
        n, m, *rest = shape_of(x)
        return cls(reshape_p(x, shape=(n * m, *rest)), Tensor(np.arange(n + 1) * m))

    def with_values(self, new_values: Any) -> RaggedTensor:
        """The same rows with other values; see `from_row_splits` for arguments and errors."""
        return RaggedTensor.from_row_splits(new_values, self._row_splits)

    def with_flat_values(self, new_values: Any) -> RaggedTensor:
        """The same rows with other innermost values."""
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
        inner = self._values.shape.as_list()
        return TensorShape([len(self._row_splits) - 1, None, *inner[1:]])

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        return self._values.dtype  # type: ignore[no-any-return]

    def nrows(self, out_type: Any = None, name: str | None = None) -> Tensor:
        """The number of rows."""
        dtype = as_dtype(out_type).np_dtype if out_type else self._row_splits.dtype.np_dtype
        return Tensor(dtype.type(len(self._row_splits) - 1))

    def row_lengths(self, axis: int = 1, name: str | None = None) -> Tensor:
        """The lengths of the rows."""
        return Tensor(np.diff(np.asarray(self._row_splits)))

    def _rows(self) -> list[Any]:
        inner = self._values
        flat: Any = inner.to_list() if isinstance(inner, RaggedTensor) else np.asarray(inner)
        splits = np.asarray(self._row_splits).tolist()
        return [flat[a:b] for a, b in pairwise(splits)]

    def to_list(self) -> list[Any]:
        """Nested Python lists."""
        return [row.tolist() if isinstance(row, np.ndarray) else row for row in self._rows()]

    def numpy(self) -> Any:
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
          default_value: What to fill with; zero unless said.
          name: Accepted for compatibility.
          shape: The shape of the result; what is unknown in it fits the longest row.
        """
        places, size = self._places()
        inner = shape_of(self.flat_values)[1:]
        if shape is not None:
            wish = as_shape(shape).as_list()[: len(size)]
            wish += [None] * (len(size) - len(wish))
            size = [n if w is None else w for n, w in zip(size, wish, strict=True)]
        kept = np.flatnonzero((places < np.array(size)[:, None]).all(0))
        empty: Any = b"" if self.dtype is string else 0
        fill = tensor(raw(empty if default_value is None else default_value, self.dtype))
        table = broadcast_to_p(fill, shape=(count(size), *inner))
        rows = Tensor(np.ravel_multi_index(tuple(places[:, kept]), size))
        values = gather_p(self.flat_values, Tensor(kept), axis=0, batch_dims=0)
        return reshape_p(put_rows_p(table, rows, values), shape=(*size, *inner))  # type: ignore[no-any-return]

    def _places(self) -> tuple[np.ndarray[Any, Any], list[int]]:
        """Of each innermost value its place along each axis, and how long the axes must be."""
        size, places = [self.__len__()], np.arange(self.__len__())[None]
        level: Any = self
        while isinstance(level, RaggedTensor):
            splits = np.asarray(level._row_splits)
            lengths = np.diff(splits)
            row = np.repeat(np.arange(len(lengths)), lengths)
            within = np.arange(len(row)) - splits[row]
            places = np.concatenate([places[:, row], within[None]])
            size.append(int(lengths.max(initial=0)))
            level = level.values
        return places, size

    def _differentiable(self) -> Tensor:
        return self.flat_values

    def _with_gradient(self, gradient: Any) -> RaggedTensor:
        return self.with_flat_values(gradient)

    @property
    def _type_spec(self) -> RaggedTensorSpec:
        return RaggedTensorSpec(self.shape, self.dtype, self.ragged_rank)

    def __len__(self) -> int:
        return len(self._row_splits) - 1

    def __repr__(self) -> str:
        return f"<tf.RaggedTensor {self.to_list()}>"


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
            f"RaggedTensorSpec({self._shape}, {self._dtype!r}, {self._ragged_rank}, "
            f"{self._row_splits_dtype!r})"
        )


register_composite(
    RaggedTensor,
    Container(
        lambda x: [x.values, x.row_splits], lambda like, parts: RaggedTensor(parts[0], parts[1])
    ),
)


def constant(
    pylist: Any,
    dtype: Any = None,
    ragged_rank: int | None = None,
    inner_shape: Any = None,
    name: str | None = None,
    row_splits_dtype: Any = int64,
) -> Any:
    """A ragged tensor of nested Python lists.

    Args:
      pylist: Lists of rows, in any nesting.
      dtype: The type of the elements; that of the values unless said.
      ragged_rank: How many axes are ragged; all but the first unless said.
      inner_shape: The shape of the innermost values.
      name: Accepted for compatibility.
      row_splits_dtype: The type of the row splits, int32 or int64.

    Raises:
      ValueError: The lists are of unequal depth.
    """
    depth = _depth(pylist)
    inner = len(inner_shape) if inner_shape is not None else 0
    rank = max(depth - 1 - inner, 0) if ragged_rank is None else ragged_rank
    if not rank:
        return convert_to_tensor(pylist, dtype)
    splits = np.array([0, *np.cumsum([len(row) for row in pylist])])
    flat = [item for row in pylist for item in row]
    values = constant(flat, dtype, rank - 1, inner_shape, None, row_splits_dtype)
    return RaggedTensor(values, Tensor(splits.astype(as_dtype(row_splits_dtype).np_dtype)))


def map_flat_values(op: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Applies a function to the innermost values of ragged tensors.

    Args:
      op: Takes the innermost values in place of each ragged tensor.
      *args: Its arguments.
      **kwargs: Its keyword arguments.

    Returns:
      A ragged tensor with the same rows; what `op` gives where no argument is ragged.

    Raises:
      ValueError: The ragged tensors have different rows, or `op` changes the number of values.
    """
    ragged = [x for x in (*args, *kwargs.values()) if isinstance(x, RaggedTensor)]
    if not ragged:
        return op(*args, **kwargs)
    for other in ragged[1:]:
        if not _same_rows(ragged[0], other):
            raise ValueError("map_flat_values: the ragged tensors have different row_splits")

    def flat(x: Any) -> Any:
        return x.flat_values if isinstance(x, RaggedTensor) else x

    out = op(*map(flat, args), **{k: flat(v) for k, v in kwargs.items()})
    return ragged[0].with_flat_values(out)


def _same_rows(a: Any, b: Any) -> bool:
    if not isinstance(a, RaggedTensor) or not isinstance(b, RaggedTensor):
        return type(a) is type(b)
    same = np.array_equal(np.asarray(a.row_splits), np.asarray(b.row_splits))
    return same and _same_rows(a.values, b.values)


def _depth(value: Any) -> int:
    if isinstance(value, (list, tuple)):
        return 1 + max(map(_depth, value), default=0)
    return int(np.ndim(value))
