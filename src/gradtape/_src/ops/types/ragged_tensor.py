"""`RaggedTensor`: rows of different lengths."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from gradtape._src.base.composite_tensor import CompositeTensor
from gradtape._src.base.dtypes import DType, as_dtype, float32, int64, string
from gradtape._src.base.export import export
from gradtape._src.base.nest import Container, register_composite
from gradtape._src.base.python_values import raw
from gradtape._src.base.shapes import TensorShape, as_shape
from gradtape._src.compute.repeat_rows import repeated
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import invalid
from gradtape._src.declare.families import broadcast_to_p, count, reshape_p, shape_of
from gradtape._src.declare.row_partitions import RaggedRows
from gradtape._src.ops.array.gather import gather_p
from gradtape._src.ops.array.scatter import put_rows_p
from gradtape._src.ops.types.ragged_shape import DynamicRaggedShape
from gradtape._src.ops.types.specs import TypeSpec


@export("RaggedTensor")
class RaggedTensor(RaggedRows, CompositeTensor):
    """Rows of different lengths: all rows one after the other, and where each begins.

    Programs make them with `from_row_splits`, `from_row_lengths`, `from_tensor` or
    `tf.ragged.constant`.
    """

    __slots__ = ("__weakref__", "_row_splits", "_uniform", "_values")
    __array_priority__ = 100  # a NumPy scalar on the left of an operator gives way
    has_operators = True

    def __init__(self, values: Any, row_splits: Tensor, uniform: int | None = None) -> None:
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
        return cls.from_row_splits(values, Tensor(splits), validate=validate)

    @classmethod
    def from_row_starts(
        cls, values: Any, row_starts: Any, name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
        """Rows that begin at the given places; arguments and errors as `from_row_splits`."""
        starts = np.asarray(convert_to_tensor(row_starts, dtype_hint=int64))
        values = values if isinstance(values, RaggedTensor) else tensor(values)
        splits = np.append(starts, _length(values)).astype(starts.dtype)
        return cls.from_row_splits(values, Tensor(splits), validate=validate)

    @classmethod
    def from_row_limits(
        cls, values: Any, row_limits: Any, name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
        """Rows that end before the given places; arguments and errors as `from_row_splits`."""
        limits = np.asarray(convert_to_tensor(row_limits, dtype_hint=int64))
        splits = np.concatenate([[0], limits]).astype(limits.dtype)
        return cls.from_row_splits(values, Tensor(splits), validate=validate)

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
          nrows: The number of rows; up to the last number unless said.
          name: Accepted for compatibility.
          validate: Whether to check the numbers.

        Raises:
          ValueError: The numbers fall, or lie beyond `nrows`.
        """
        ids = np.asarray(convert_to_tensor(value_rowids, dtype_hint=int64))
        rows = int(ids[-1]) + 1 if ids.size else 0
        rows = rows if nrows is None else int(nrows)
        if validate and ids.size and ((np.diff(ids) < 0).any() or ids[0] < 0 or ids[-1] >= rows):
            raise ValueError(
                f"RaggedTensor.from_value_rowids: value_rowids must not fall and lie in "
                f"[0, {rows}), got {ids.tolist()}"
            )
        splits = np.searchsorted(ids, np.arange(rows + 1)).astype(ids.dtype)
        return cls.from_row_splits(values, Tensor(splits), validate=validate)

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
        for splits in reversed(list(nested_row_splits)):
            flat_values = cls.from_row_splits(flat_values, splits, validate=validate)
        return flat_values  # type: ignore[no-any-return]

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
        rows, rest = count(lead), shape[ragged_rank + 1 :]
        flat = reshape_p(x, shape=(rows * m, *rest))
        kept = np.full(rows, m)
        if padding is not None:
            fill = np.asarray(convert_to_tensor(padding, x.dtype)._numpy())
            is_value = np.asarray(x._value).reshape(rows, m, *rest) != fill
            is_value = is_value.reshape(rows, m, count(rest)).any(-1)
            kept = np.where(is_value.any(1), m - np.argmax(is_value[:, ::-1], 1), 0)
        elif lengths is not None:
            given = np.asarray(convert_to_tensor(lengths, dtype_hint=int64)._numpy())
            kept = np.clip(given.reshape(-1), 0, m)
        if (kept < m).any():
            places = np.flatnonzero((np.arange(m) < kept[:, None]).reshape(-1))
            flat = gather_p(flat, Tensor(places), axis=0, batch_dims=0)
        dtype = as_dtype(row_splits_dtype).np_dtype
        out = cls.from_row_lengths(flat, kept.astype(dtype))
        out._uniform = m if lengths is None and padding is None else None
        for n, outer in zip(lead[:0:-1], range(len(lead) - 1, 0, -1), strict=True):
            out = cls(out, Tensor(np.arange(count(lead[:outer]) + 1, dtype=dtype) * n), n)
        return out

    def with_values(self, new_values: Any) -> RaggedTensor:
        """The same rows with other values; see `from_row_splits` for arguments and errors."""
        out = RaggedTensor.from_row_splits(new_values, self._row_splits)
        out._uniform = self._uniform
        return out

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
        return TensorShape([len(self._row_splits) - 1, self._uniform, *inner[1:]])

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        return self._values.dtype  # type: ignore[no-any-return]

    def nrows(self, out_type: Any = None, name: str | None = None) -> Tensor:
        """The number of rows."""
        dtype = as_dtype(out_type).np_dtype if out_type else self._row_splits.dtype.np_dtype
        return Tensor(dtype.type(len(self._row_splits) - 1))

    def row_lengths(self, axis: int = 1, name: str | None = None) -> Any:
        """The lengths of the rows, or of those along another axis; ragged for one further in."""
        inner = self._values
        axis = axis + len(self.shape) if axis < 0 else axis
        if not axis:
            return self.nrows()
        if axis == 1:
            return Tensor(np.diff(np.asarray(self._row_splits)))
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
        return reshape_p(put_rows_p(table, rows, values), shape=(*size, *inner))

    def _places(self) -> tuple[np.ndarray[Any, Any], list[int]]:
        """Of each innermost value its place along each axis, and how long the axes must be."""
        size, places = [self._height()], np.arange(self._height())[None]
        level: Any = self
        while isinstance(level, RaggedTensor):
            splits = np.asarray(level._row_splits)
            lengths = np.diff(splits)
            row = repeated(np.arange(len(lengths)), lengths)
            within = np.arange(len(row)) - splits[row]
            places = np.concatenate([places[:, row], within[None]])
            size.append(int(lengths.max(initial=0)))
            level = level.values
        return places, size

    def _over_values(self, f: Any) -> RaggedTensor:  # type: ignore[override]
        return self.with_flat_values(f(self.flat_values))

    def _filled_like(self, f: Any) -> RaggedTensor:
        return self._over_values(f)

    def _dynamic_shape(self) -> DynamicRaggedShape:
        return DynamicRaggedShape(self)

    def _size(self) -> int:
        return count(shape_of(self.flat_values))

    def _of_values(self, places: Any, lengths: Any) -> RaggedTensor:
        """Rows of the given lengths, of the values in some places."""
        return RaggedTensor.from_row_lengths(_taken(self._values, places), lengths)

    def _each_row(self) -> list[Any]:
        return [self._gathered(i, 0, 0) for i in range(self._height())]

    def _gathered(self, indices: Any, axis: Any, batch_dims: int) -> Any:
        """The rows that the indices name."""
        if axis not in (None, 0) or batch_dims:
            return self._run("gather", self, indices, axis, batch_dims)
        if isinstance(indices, RaggedTensor):
            return indices.with_flat_values(self._gathered(indices.flat_values, 0, 0))
        places = np.asarray(convert_to_tensor(indices, dtype_hint=int64)._numpy())
        splits = np.asarray(self._row_splits._value)
        _check_places(places, len(splits) - 1, "RaggedGather")
        rows = places.reshape(-1)
        lengths = splits[rows + 1] - splits[rows]
        first = splits[rows] - np.cumsum(lengths) + lengths
        inner = repeated(first, lengths) + np.arange(int(lengths.sum()))
        taken = _taken(self._values, inner)
        if not places.ndim:
            return taken
        out = RaggedTensor.from_row_lengths(taken, lengths)
        for k in range(places.ndim - 1, 0, -1):
            out = RaggedTensor.from_row_lengths(
                out, np.full(count(places.shape[:k]), places.shape[k], splits.dtype)
            )
        return out

    def _gather_from(self, params: Any, axis: Any, batch_dims: int) -> RaggedTensor:
        """What a tensor has in the places that this names, in the same rows."""
        x = convert_to_tensor(params)
        if batch_dims:
            return self._run("gather", x, self, axis, batch_dims)  # type: ignore[return-value]
        shape = shape_of(x)
        at = 0 if axis is None else int(axis) + (len(shape) if axis < 0 else 0)
        if not 0 <= at < len(shape):
            raise ValueError(f"tf.gather takes an axis of the tensor's {len(shape)}; got {axis}")
        places = np.asarray(self.flat_values._value)
        lead, n = shape[:at], shape[at]
        _check_places(places, n, "GatherV2")
        parts = count(lead)
        starts = (np.arange(parts) * n)[:, None]
        flat = reshape_p(x, shape=(parts * n, *shape[at + 1 :]))
        values = gather_p(flat, Tensor((starts + places).reshape(-1)), axis=0, batch_dims=0)
        if not at:
            return self.with_flat_values(values)
        splits = self._row_splits._value.dtype
        out = self._repeated(parts, values)
        for k in range(at, 0, -1):
            n = self._height() if k == at else lead[k]
            out = RaggedTensor.from_row_lengths(out, np.full(count(lead[:k]), n, splits))
        return out

    def _repeated(self, times: int, flat_values: Any) -> RaggedTensor:
        """All rows several times, with other innermost values."""
        inner = self._values
        if isinstance(inner, RaggedTensor):
            flat_values = inner._repeated(times, flat_values)
        lengths = np.diff(np.asarray(self._row_splits))
        return RaggedTensor.from_row_lengths(flat_values, np.tile(lengths, times))

    def _differentiable(self) -> Tensor:
        return self.flat_values

    def _with_gradient(self, gradient: Any) -> RaggedTensor:
        return self.with_flat_values(gradient)

    @property
    def _type_spec(self) -> RaggedTensorSpec:
        return RaggedTensorSpec(self.shape, self.dtype, self.ragged_rank)

    def __repr__(self) -> str:
        return f"<tf.RaggedTensor {self.to_list()}>"


def _length(values: Any) -> int:
    return values._height() if isinstance(values, RaggedTensor) else shape_of(values)[0]


def _taken(values: Any, places: np.ndarray[Any, Any]) -> Any:
    if isinstance(values, RaggedTensor):
        return values._gathered(Tensor(places), 0, 0)
    return gather_p(values, Tensor(places), axis=0, batch_dims=0)


def _check_places(places: np.ndarray[Any, Any], n: int, op: str) -> None:
    wrong = (places < 0) | (places >= n)
    if wrong.any():
        bad = int(np.flatnonzero(wrong)[0])
        raise invalid(f"indices[{bad}] = {places.reshape(-1)[bad]} is not in [0, {n}) [Op:{op}]")


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
            f"RaggedTensorSpec({self._shape}, {self._dtype!r}, {self._ragged_rank}, "
            f"{self._row_splits_dtype!r})"
        )


register_composite(
    RaggedTensor,
    Container(
        lambda x: [x.values, x.row_splits],
        lambda like, parts: RaggedTensor(parts[0], parts[1], like._uniform),
    ),
)


@export("ragged.map_flat_values")
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
