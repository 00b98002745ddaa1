"""The shape of a ragged tensor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradtape._src.base.composite_tensor import CompositeTensor
from gradtape._src.base.dtypes import DType, as_dtype, int32, int64
from gradtape._src.base.export import export
from gradtape._src.base.nest import Container, register_composite
from gradtape._src.base.shapes import TensorShape
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.tensor import Tensor, TensorLike
from gradtape._src.declare.arguments import invalid, known
from gradtape._src.declare.general import dtype_of_value, shape_of
from gradtape._src.ops.array import creation, tensor_shapes
from gradtape._src.ops.array.joining import concat
from gradtape._src.ops.array.shaping import reshape
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.types.ragged_tensor import RaggedTensor
from gradtape._src.ops.types.row_partition import RowPartition
from gradtape._src.ops.types.spec_names import register
from gradtape._src.ops.types.specs import TensorSpec
from gradtape._src.ops.types.type_spec import TypeSpec


@export("experimental.DynamicRaggedShape")
class DynamicRaggedShape(CompositeTensor):
    """The shape of a ragged tensor: numbers for uniform axes, row lengths for ragged axes.

    Partitions into rows describe the first axes; the values that they divide have an ordinary
    shape, the inner shape.

    Args:
      row_partitions: The partitions of the first axes, outermost first; may be none.
      inner_shape: The shape of the innermost values, a vector of integers.
      dtype: int32 or int64. Defaults to the dtype of the partitions or inner shape.
      validate: Whether to check that the last partition fits the inner shape.
      static_inner_shape: The inner shape, as far as it is known, which `inner_shape` has to match.

    Raises:
      TypeError: `row_partitions` does not consist of row partitions.
      ValueError: The dtypes of the parts differ, or `inner_shape` is not a vector, or does not
        match `static_inner_shape`.
      InvalidArgumentError: The last partition does not match the number of values in the inner
        shape.

    >>> tf.experimental.DynamicRaggedShape.from_lengths([2, (1, 2), 3])
    <DynamicRaggedShape lengths=[2, (1, 2), 3] num_row_partitions=1>
    """

    __slots__ = ("__weakref__", "_inner_shape", "_row_partitions")

    def __init__(
        self,
        row_partitions: Sequence[RowPartition],
        inner_shape: Any,
        dtype: Any = None,
        validate: bool = False,
        static_inner_shape: Any = None,
    ) -> None:
        for partition in row_partitions if isinstance(row_partitions, (list, tuple)) else ():
            if not isinstance(partition, RowPartition):
                raise TypeError(f"row_partitions contains {partition} which is not a RowPartition")
        if not isinstance(row_partitions, (list, tuple)):
            raise TypeError("row_partitions should be a list of row partitions.")
        kinds = {partition.dtype for partition in row_partitions}
        if dtype is None and len(kinds) > 1:
            raise ValueError("row_partitions must have a single dtype: give dtype=")
        kind = as_dtype(dtype) if dtype is not None else next(iter(kinds), None)
        inner = _vector(inner_shape, kind)
        self._row_partitions = tuple([p.with_dtype(inner.dtype) for p in row_partitions])
        self._inner_shape = inner
        if not TensorShape(static_inner_shape).is_compatible_with(_known_lengths(inner)):
            raise ValueError(
                f"inner_shape {inner} does not match static_inner_shape {static_inner_shape}"
            )
        if validate and row_partitions and known(inner) and known(row_partitions[-1].row_splits()):
            found = int(row_partitions[-1].nvals()._numpy())
            if not shape_of(inner)[0] or int(inner._numpy()[0]) != found:
                raise invalid(
                    f"Last row partition does not match inner_shape: it divides {found} values, "
                    f"inner_shape is {inner._numpy().tolist()}"
                )

    @classmethod
    def from_lengths(
        cls,
        lengths: Sequence[Sequence[int] | int],
        num_row_partitions: int | None = None,
        dtype: Any = int64,
    ) -> DynamicRaggedShape:
        """Makes a shape from the lengths of its axes, in the form that `repr` shows.

        Args:
          lengths: For each axis a number, or for a ragged one the lengths of all rows.
          num_row_partitions: The number of axes after the first that are described by partitions;
            by default up to the last ragged axis.
          dtype: int32 or int64.

        Returns:
          A DynamicRaggedShape.

        Raises:
          ValueError: The lengths contradict each other, or one is neither a number nor a tuple.

        >>> tf.zeros(tf.experimental.DynamicRaggedShape.from_lengths([2, (1, 2)]))
        <tf.RaggedTensor [[0.0], [0.0, 0.0]]>
        """
        for n in lengths:
            if not isinstance(n, (int, np.integer, tuple, list)):
                raise ValueError(
                    f"element of lengths should be int or tuple of ints: instead {n!r}"
                )
        ragged = [i for i, n in enumerate(lengths) if isinstance(n, (tuple, list))]
        count = ragged[-1] if ragged else 0
        if num_row_partitions is not None:
            if num_row_partitions < count or num_row_partitions >= max(len(lengths), 1):
                raise ValueError(
                    "num_row_partitions should be less than `len(lengths)` if shape is not scalar, "
                    f"and at least {count} for the ragged axes, got {num_row_partitions}"
                )
            count = num_row_partitions
        if ragged and not ragged[0]:
            raise ValueError(f"the first axis can't be ragged, got lengths={lengths!r}")
        partitions, rows = [], lengths[0] if lengths else 0
        for axis in range(1, count + 1):
            partition = _partition(lengths[axis], rows, dtype)
            partitions.append(partition)
            rows = int(partition.nvals()._numpy())
        inner = [rows, *lengths[count + 1 :]] if lengths else []
        return cls(partitions, np.array(inner, as_dtype(dtype).np_dtype), dtype)

    @classmethod
    def from_row_partitions(
        cls, row_partitions: Sequence[RowPartition], dtype: Any = None
    ) -> DynamicRaggedShape:
        """Makes a shape whose innermost values are a vector.

        Args:
          row_partitions: One partition or more, outermost first.
          dtype: int32 or int64. Defaults to the dtype of the partitions.

        Returns:
          A DynamicRaggedShape.

        Raises:
          ValueError: There is no partition.
        """
        if not row_partitions:
            raise ValueError("row_partitions cannot be empty")
        return cls(row_partitions, reshape(row_partitions[-1].nvals(), (1,)), dtype)

    @classmethod
    def from_tensor(cls, t: Any, dtype: Any = None) -> DynamicRaggedShape:
        """Makes the shape of a tensor.

        Args:
          t: A tensor or a ragged tensor.
          dtype: int32 or int64. Defaults to the dtype of the row splits, or int32.

        Returns:
          A DynamicRaggedShape.
        """
        if isinstance(t, DynamicRaggedShape):
            return t if dtype is None else t.with_dtype(dtype)
        partitions, inner = [], t
        while isinstance(inner, RaggedTensor):
            partitions.append(RowPartition.of(inner.row_splits, inner._uniform))
            inner = inner.values
        kind = as_dtype(dtype) if dtype is not None else int32
        if partitions and dtype is None:
            kind = partitions[0].dtype
        return cls(partitions, tensor_shapes.shape(tensor(inner), kind), kind)

    @property
    def dtype(self) -> DType:
        """The type of the numbers."""
        return self._inner_shape.dtype

    @property
    def row_partitions(self) -> tuple[RowPartition, ...]:
        """The partitions of the first axes, outermost first."""
        return self._row_partitions

    @property
    def num_row_partitions(self) -> int:
        """The number of axes that partitions describe."""
        return len(self._row_partitions)

    @property
    def inner_shape(self) -> Tensor:
        """The shape of the innermost values, a vector."""
        return self._inner_shape

    @property
    def inner_rank(self) -> int:
        """The rank of the innermost values."""
        return int(shape_of(self._inner_shape)[0])

    @property
    def rank(self) -> int:
        """The number of axes."""
        return self.num_row_partitions + self.inner_rank

    def is_uniform(self, axis: int) -> bool:
        """Whether all rows along an axis have the same length.

        Args:
          axis: The axis, from 0 to the rank.

        Returns:
          False if the length differs from row to row, or may differ.

        Raises:
          IndexError: There is no such axis.
        """
        if axis < 0:
            raise IndexError(f"Negative axis values are not supported, got axis={axis}")
        if axis >= self.rank:
            raise IndexError(f"Expected axis={axis} < rank={self.rank}")
        inside = 0 < axis <= self.num_row_partitions
        return self._row_partitions[axis - 1].is_uniform() if inside else True

    def static_lengths(self, ragged_lengths: bool = True) -> list[Any]:
        """Returns the lengths as `from_lengths` takes them.

        Args:
          ragged_lengths: Whether to give the lengths of the rows of ragged axes; None otherwise.

        Returns:
          A list with a number for each uniform axis, and None for unknown lengths.
        """
        inner = _known_lengths(self._inner_shape)
        if not self._row_partitions:
            return inner
        lengths: list[Any] = [self._row_partitions[0].static_nrows]
        for partition in self._row_partitions:
            if partition.is_uniform():
                lengths.append(partition.static_uniform_row_length)
            elif ragged_lengths and known(partition.row_splits()):
                lengths.append(tuple(partition.row_lengths()._numpy().tolist()))
            else:
                lengths.append(None)
        return [*lengths, *inner[1:]]

    def with_dtype(self, dtype: Any) -> DynamicRaggedShape:
        """Returns the same shape with numbers of another dtype.

        Args:
          dtype: int32 or int64.

        Returns:
          A DynamicRaggedShape.
        """
        return DynamicRaggedShape(self._row_partitions, cast(self._inner_shape, dtype), dtype)

    def in_rows(self, values: Tensor) -> RaggedTensor | Tensor:
        """Returns values in the rows of this shape.

        Args:
          values: A tensor of the inner shape.

        Returns:
          A ragged tensor; `values` itself if there are no partitions.
        """
        rows: RaggedTensor | Tensor = values
        for partition in reversed(self._row_partitions):
            rows = RaggedTensor(rows, partition.row_splits(), partition._uniform)
        return rows

    @property
    def template(self) -> RaggedTensor | Tensor:
        """A ragged tensor of this shape, filled with zeros."""
        return self.in_rows(creation.zeros(self._inner_shape, np.int8))

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return self._part(index)
        axis = index + self.rank if index < 0 else index
        if not 0 <= axis < self.rank:
            raise IndexError(f"Index is too big: {index}>={self.rank}")
        if not self.is_uniform(axis):
            raise ValueError(f"Index {axis} is not uniform")
        if axis > self.num_row_partitions or not self._row_partitions:
            return self._inner_shape[axis - self.num_row_partitions]
        if not axis:
            return self._row_partitions[0].nrows()
        return self._row_partitions[axis - 1].uniform_row_length()

    def _part(self, index: slice) -> DynamicRaggedShape:
        start, stop, step = index.indices(self.rank)
        if step != 1:
            raise IndexError("Cannot stride through a shape")
        if not start:
            return self._first(stop)
        if not all(self.is_uniform(axis) for axis in range(start, stop)):
            raise ValueError("All relevant dimensions must be uniform")
        lengths = [reshape(self[axis], (1,)) for axis in range(start, stop)]
        inner = concat(lengths, 0) if lengths else np.empty(0, self.dtype.np_dtype)
        return DynamicRaggedShape([], inner, self.dtype)

    def _first(self, count: int) -> DynamicRaggedShape:
        """Returns the shape of the first axes."""
        partitions = self._row_partitions
        if count > len(partitions) or not count:
            inner = self._inner_shape[: max(count - len(partitions), 0)]
            return DynamicRaggedShape(partitions if count else [], inner, self.dtype)
        if count == 1:
            return DynamicRaggedShape([], reshape(partitions[0].nrows(), (1,)), self.dtype)
        return DynamicRaggedShape.from_row_partitions(partitions[: count - 1], self.dtype)

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, DynamicRaggedShape) or other.rank != self.rank:
            return False
        if self.num_row_partitions != other.num_row_partitions:
            return False
        mine, its = self._numbers(), other._numbers()
        same = all(
            shape_of(a) == shape_of(b) and np.array_equal(a._numpy(), b._numpy())
            for a, b in zip(mine, its, strict=True)
        )
        return Tensor(np.bool_(same))

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        raise TypeError("DynamicRaggedShape is unhashable.")

    def _numbers(self) -> list[Tensor]:
        return [*[p.row_splits() for p in self._row_partitions], self._inner_shape]

    @property
    def _static_fields(self) -> tuple[Any, ...]:
        return ((str, tuple([p._static_fields for p in self._row_partitions])),)

    @property
    def _type_spec(self) -> DynamicRaggedShapeSpec:
        inner = TensorShape(_known_lengths(self._inner_shape))
        specs = tuple([p._type_spec for p in self._row_partitions])
        return DynamicRaggedShapeSpec(specs, inner, self.dtype)

    def __repr__(self) -> str:
        shown = ", ".join(map(str, self.static_lengths()))
        return (
            f"<DynamicRaggedShape lengths=[{shown}] num_row_partitions={self.num_row_partitions}>"
        )


@register("tf.DynamicRaggedShape.Spec")
class DynamicRaggedShapeSpec(TypeSpec):
    """Describes a `DynamicRaggedShape`, as far as it is known.

    Args:
      row_partitions: The specs of the partitions.
      static_inner_shape: The inner shape, as far as it is known.
      dtype: The type of the numbers.
    """

    __slots__ = ("_dtype", "_inner", "_row_partitions")

    def __init__(
        self, row_partitions: tuple[Any, ...], static_inner_shape: Any, dtype: Any
    ) -> None:
        self._row_partitions, self._dtype = tuple(row_partitions), as_dtype(dtype)
        self._inner = TensorShape(static_inner_shape)

    @property
    def value_type(self) -> type[DynamicRaggedShape]:
        """The class of what is described."""
        return DynamicRaggedShape

    def _serialize(self) -> tuple[Any, ...]:
        return self._row_partitions, self._inner, self._dtype

    @property
    def _component_specs(self) -> Any:
        return (self._row_partitions, TensorSpec([self._inner.rank], self._dtype))

    def _to_components(self, value: Any) -> Any:
        return (value.row_partitions, value.inner_shape)

    def _from_components(self, components: Any) -> DynamicRaggedShape:
        partitions, inner = components
        return DynamicRaggedShape(list(partitions), inner, self._dtype)

    def __repr__(self) -> str:
        return (
            f"DynamicRaggedShape.Spec(row_partitions={self._row_partitions!r}, "
            f"static_inner_shape={self._inner!r}, dtype={self._dtype!r})"
        )


def _vector(inner_shape: Any, dtype: DType | None) -> Tensor:
    """Returns an inner shape as a vector of integers.

    Raises:
      ValueError: The inner shape is not a vector of int32 or int64.
    """
    if isinstance(inner_shape, TensorLike):
        found = tensor(inner_shape)
    else:
        found = convert_to_tensor(inner_shape, dtype_hint=dtype or int64)
    if len(shape_of(found)) != 1:
        raise ValueError(f"inner_shape must be a vector, got the shape {found.shape}")
    kind = dtype or (found.dtype if dtype_of_value(found).kind == "i" else int64)
    if kind not in (int32, int64):
        raise ValueError("dtype must be int32 or int64")
    return found if found.dtype is kind else cast(found, kind)


def _known_lengths(inner: Tensor) -> list[int | None]:
    if known(inner):
        lengths: list[int | None] = inner._numpy().tolist()
        return lengths
    elements = getattr(inner._value, "elements", None)
    if elements is None:
        return [None] * int(shape_of(inner)[0])
    return [int(n) if isinstance(n, (int, np.integer)) else None for n in elements.reshape(-1)]


def _partition(lengths: Any, rows: Any, dtype: Any) -> RowPartition:
    """Returns the partition for one entry of `from_lengths`."""
    if isinstance(lengths, (tuple, list)):
        if len(lengths) != rows:
            raise ValueError(f"Shape not consistent: {len(lengths)} lengths for {rows} rows.")
        return RowPartition.from_row_lengths(lengths, dtype=dtype)
    return RowPartition.from_uniform_row_length(lengths, nrows=rows, dtype=dtype)


def _parts(shape: DynamicRaggedShape) -> list[Tensor]:
    return [shape._inner_shape, *[p._row_splits for p in shape._row_partitions]]


def _rebuilt(like: DynamicRaggedShape, parts: list[Any]) -> DynamicRaggedShape:
    inner, *splits = parts
    pairs = zip(like._row_partitions, splits, strict=True)
    return DynamicRaggedShape([RowPartition.of(s, p._uniform) for p, s in pairs], inner)


register_composite(DynamicRaggedShape, Container(_parts, _rebuilt))
