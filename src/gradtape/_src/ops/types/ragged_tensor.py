"""`RaggedTensor`: rows of different lengths."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Literal, overload

import numpy as np

from gradtape._src.base.composite_tensor import CompositeTensor
from gradtape._src.base.dispatch import expect_composites
from gradtape._src.base.dtypes import DType, as_dtype, float32, int64
from gradtape._src.base.export import export
from gradtape._src.base.nest import Container, register_composite
from gradtape._src.base.shapes import TensorShape, as_shape
from gradtape._src.core.convert import tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import known
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.graph_operations import deferrable
from gradtape._src.declare.open_graphs import open_graph
from gradtape._src.declare.unknown_sizes import may_be_equal
from gradtape._src.ops.array.gather import gather
from gradtape._src.ops.elementwise import comparison
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.types.composite_operators import compared
from gradtape._src.ops.types.ragged_constructors import RaggedConstructors, length_of
from gradtape._src.ops.types.ragged_operators import RaggedOperators
from gradtape._src.ops.types.ragged_rows import (
    lengths_of_rows,
    row_count,
    row_ids,
)
from gradtape._src.ops.types.ragged_slicing import merge_dims, part
from gradtape._src.ops.types.ragged_text import array_text, split_array
from gradtape._src.ops.types.ragged_to_tensor import padded, places, sparse_parts
from gradtape._src.ops.types.sparse_tensor import SparseTensor
from gradtape._src.ops.types.spec_names import register
from gradtape._src.ops.types.specs import TensorSpec
from gradtape._src.ops.types.type_spec import BatchableTypeSpec


@export("RaggedTensor")
class RaggedTensor(CompositeTensor, RaggedConstructors, RaggedOperators):
    """A tensor whose rows may have different lengths.

    Programs make them with `from_row_splits`, `from_row_lengths`, `from_tensor` or
    `tf.ragged.constant`.

    Args:
      values: The concatenated rows.
      row_splits: The start of each row, and the end of the last.
      uniform: The length of the rows, if it is known that they are equally long.

    >>> tf.RaggedTensor.from_row_splits([3, 1, 4, 1, 5], [0, 2, 2, 5])
    <tf.RaggedTensor [[3, 1], [], [4, 1, 5]]>
    """

    __slots__ = ("__weakref__", "_row_splits", "_uniform", "_values")
    # A NumPy scalar on the left of an operator leaves the operation to this class.
    __array_priority__ = 100
    has_operators = has_equality = True

    def __init__(self, values: Any, row_splits: Tensor, uniform: int | None = None) -> None:
        expect_composites()
        self._values = values
        self._row_splits = row_splits
        self._uniform = uniform  # the length of the rows, if it is known to be the same for all

    def with_values(self, new_values: Any) -> RaggedTensor:
        """Replaces the values, and keeps the lengths of the rows.

        Args:
          new_values: A tensor or ragged tensor with as many rows as the present values.

        Returns:
          A ragged tensor.

        Raises:
          ValueError: The number of rows of `new_values` is different.
        """
        values = new_values if isinstance(new_values, RaggedTensor) else tensor(new_values)
        if not may_be_equal([length_of(values)], [length_of(self._values)]):
            raise ValueError(
                f"RaggedTensor.with_values: new_values must have {length_of(self._values)} rows, "
                f"got {length_of(values)}"
            )
        return RaggedTensor(values, self._row_splits, self._uniform)

    def _with_length(self, length: int | None) -> RaggedTensor:
        """Returns the rows with a known uniform length, or None if lengths may differ."""
        return RaggedTensor(self._values, self._row_splits, length)

    def with_flat_values(self, new_values: Any) -> RaggedTensor:
        """Replaces the innermost values, and keeps the lengths of the rows.

        Args:
          new_values: A tensor with as many rows as the present innermost values.

        Returns:
          A ragged tensor.

        Raises:
          ValueError: The number of rows of `new_values` is different.
        """
        inner = self._values
        nested = isinstance(inner, RaggedTensor)
        return self.with_values(inner.with_flat_values(new_values) if nested else new_values)

    @property
    def values(self) -> Any:
        """The concatenated rows."""
        return self._values

    @property
    def flat_values(self) -> Tensor:
        """The innermost values."""
        inner = self._values
        return inner.flat_values if isinstance(inner, RaggedTensor) else inner

    @property
    def row_splits(self) -> Tensor:
        """The beginning of each row, and the end of the last one."""
        return self._row_splits

    @property
    def ragged_rank(self) -> int:
        """The number of ragged axes."""
        inner = self._values
        return 1 + (inner.ragged_rank if isinstance(inner, RaggedTensor) else 0)

    @property
    def shape(self) -> TensorShape:
        """The shape, with None for ragged axes."""
        inner, rows = self._values.shape.as_list(), self._height()
        return TensorShape([rows if type(rows) is int else None, self._uniform, *inner[1:]])

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        out: DType = self._values.dtype
        return out

    def nrows(self, out_type: Any = None, name: str | None = None) -> Tensor:
        """Returns the number of rows.

        Args:
          out_type: The dtype of the result. Defaults to the dtype of the row splits.
          name: Accepted for compatibility.

        Returns:
          A scalar tensor.
        """
        dtype = as_dtype(out_type).np_dtype if out_type else self._row_splits.dtype.np_dtype
        rows = self._height()
        return Tensor(dtype.type(rows)) if type(rows) is int else row_count(self._row_splits, dtype)

    def _splits(self) -> np.ndarray[Any, Any]:
        return np.asarray(self._row_splits._value)

    def value_rowids(self, name: str | None = None) -> Tensor:
        """Returns the row index of each value.

        Args:
          name: Accepted for compatibility.

        Returns:
          A vector, of the dtype of the row splits.
        """
        return row_ids(self._row_splits, self._values)

    def row_starts(self, name: str | None = None) -> Tensor:
        """Returns the start index of each row.

        Args:
          name: Accepted for compatibility.

        Returns:
          A vector, of the dtype of the row splits.
        """
        return self._row_splits[:-1]

    def row_limits(self, name: str | None = None) -> Tensor:
        """Returns the end index of each row.

        Args:
          name: Accepted for compatibility.

        Returns:
          A vector, of the dtype of the row splits.
        """
        return self._row_splits[1:]

    @property
    def uniform_row_length(self) -> Tensor | None:
        """The length of the rows if it is known to be the same for all, else None."""
        dtype = self._row_splits.dtype.np_dtype
        return None if self._uniform is None else Tensor(dtype.type(self._uniform))

    @property
    def nested_row_splits(self) -> tuple[Tensor, ...]:
        """The row splits of each ragged axis, the outermost first."""
        inner = self._values
        more = inner.nested_row_splits if isinstance(inner, RaggedTensor) else ()
        return (self._row_splits, *more)

    def nested_row_lengths(self, name: str | None = None) -> tuple[Tensor, ...]:
        """Returns the row lengths of each ragged axis, the outermost first.

        Args:
          name: Accepted for compatibility.

        Returns:
          A tuple of vectors.
        """
        return tuple(lengths_of_rows(s) for s in self.nested_row_splits)

    @deferrable
    def bounding_shape(
        self, axis: int | None = None, name: str | None = None, out_type: Any = None
    ) -> Tensor:
        """Returns the shape of the smallest tensor that holds all rows.

        Args:
          axis: The axis whose length to return; None for the whole shape.
          name: Accepted for compatibility.
          out_type: The dtype of the result. Defaults to the dtype of the row splits.

        Returns:
          A vector, or a scalar if `axis` is given.
        """
        _, size = self._places()
        whole = [*size, *shape_of(self.flat_values)[1:]]
        dtype = as_dtype(out_type).np_dtype if out_type else self._splits().dtype
        lengths = np.array(whole, dtype)
        return Tensor(lengths if axis is None else lengths[axis])

    def merge_dims(self, outer_axis: int, inner_axis: int) -> Tensor | RaggedTensor:
        """Merges neighboring axes into one.

        Args:
          outer_axis: The first of the axes.
          inner_axis: The last of the axes.

        Returns:
          A ragged tensor, or a tensor if no ragged axis is left.

        Raises:
          ValueError: The axes do not satisfy 0 <= outer_axis <= inner_axis < rank.
        """
        return merge_dims(self, outer_axis, inner_axis)

    @overload
    def row_lengths(self, axis: Literal[1] = 1, name: str | None = None) -> Tensor: ...
    @overload
    def row_lengths(self, axis: int, name: str | None = None) -> Tensor | RaggedTensor: ...
    def row_lengths(self, axis: int = 1, name: str | None = None) -> Tensor | RaggedTensor:
        """Returns the lengths of the rows along an axis.

        Args:
          axis: The axis along which lengths are measured.
          name: Accepted for compatibility.

        Returns:
          A vector for axis 1, a ragged tensor for inner axes.
        """
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
        """Converts the rows to nested lists.

        Returns:
          A list of lists.
        """
        return [row.tolist() if isinstance(row, np.ndarray) else row for row in self._rows()]

    def numpy(self) -> np.ndarray[Any, Any]:
        """Converts the rows to a NumPy array.

        Returns:
          An array. If rows differ in length, its dtype is object, and its elements are arrays.
        """
        inner = self._values
        ragged = isinstance(inner, RaggedTensor)
        flat = inner.numpy() if ragged else np.asarray(inner)
        return split_array(flat, self._splits())

    def to_tensor(
        self, default_value: Any = None, name: str | None = None, shape: Any = None
    ) -> Tensor:
        """Returns a tensor in which short rows are padded.

        Args:
          default_value: The padding value. Defaults to zero.
          name: Accepted for compatibility.
          shape: The shape of the result, in which an unknown length fits the longest row.

        Returns:
          A tensor.

        >>> tf.ragged.constant([[1, 2], [3]]).to_tensor()
        <tf.Tensor: shape=(2, 2), dtype=int32, numpy=
        array([[1, 2],
               [3, 0]], dtype=int32)>
        """
        return padded(self, default_value, shape)

    def to_sparse(self, name: str | None = None) -> SparseTensor:
        """Returns a sparse tensor with the same values.

        Args:
          name: Accepted for compatibility.

        Returns:
          A `SparseTensor` with the shape of the smallest tensor that holds all rows.

        >>> tf.ragged.constant([[1, 2], [3]]).to_sparse().indices.numpy().tolist()
        [[0, 0], [0, 1], [1, 0]]
        """
        return SparseTensor(*sparse_parts(self))

    def with_row_splits_dtype(self, dtype: Any) -> RaggedTensor:
        """Converts the row splits of all ragged axes.

        Args:
          dtype: int32 or int64.

        Returns:
          A ragged tensor with the same values.

        Raises:
          ValueError: `dtype` is neither int32 nor int64.
        """
        wanted = as_dtype(dtype)
        if wanted.name not in ("int32", "int64"):
            raise ValueError(
                f"Argument `row_splits` dtype must be int32 or int64. Received {dtype}."
            )
        inner = self._values
        if isinstance(inner, RaggedTensor):
            inner = inner.with_row_splits_dtype(wanted)
        return RaggedTensor(inner, cast(self._row_splits, wanted), self._uniform)

    def nested_value_rowids(self, name: str | None = None) -> tuple[Tensor, ...]:
        """Returns the row index of each value along each ragged axis, the outermost first.

        Args:
          name: Accepted for compatibility.

        Returns:
          A tuple of vectors.
        """
        inner = self._values
        more = inner.nested_value_rowids() if isinstance(inner, RaggedTensor) else ()
        return (self.value_rowids(), *more)

    def get_shape(self) -> TensorShape:
        """Returns the shape, like the property `shape`.

        Returns:
          The shape, with None for ragged axes.
        """
        return self.shape

    def _places(self) -> tuple[np.ndarray[Any, Any], list[int]]:
        """Returns the index of each innermost value along each axis, and the axes' lengths."""
        return places(self)

    def _each_row(self) -> list[Any]:
        return [gather(self, i) for i in range(self._height())]

    @property
    def _static_fields(self) -> tuple[Any, ...]:
        """Returns the parts other than tensors on which a compiled function depends."""
        inner = self._values
        more = inner._static_fields if isinstance(inner, RaggedTensor) else ()
        return ((str, self._uniform), *more)

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

    @deferrable
    def __getitem__(self, key: Any) -> Any:
        return part(self, key)

    def _is_in_open_graph(self) -> bool:
        """Whether this belongs to a TensorFlow 1 graph, whose tensors are keys of dictionaries."""
        splits = self._row_splits._value
        hashed = splits.hash_in_graph() if hasattr(splits, "hash_in_graph") else None
        return hashed is not None or open_graph() is not None

    def __eq__(self, other: object) -> Any:
        if self._is_in_open_graph():
            return self is other
        return compared(comparison.equal, self, other, different=False)

    def __ne__(self, other: object) -> Any:
        if self._is_in_open_graph():
            return self is not other
        return compared(comparison.not_equal, self, other, different=True)

    def __hash__(self) -> int:
        if not self._is_in_open_graph():
            raise TypeError("RaggedTensor is unhashable.")
        return id(self)

    def __bool__(self) -> bool:
        raise TypeError("RaggedTensor may not be used as a boolean.")

    def __reduce__(self) -> tuple[type[RaggedTensor], tuple[Any, ...]]:
        return RaggedTensor, (self._values, self._row_splits, self._uniform)

    def __repr__(self) -> str:
        if not (known(self.flat_values) and all(map(known, self.nested_row_splits))):
            return f"tf.RaggedTensor(values={self._values}, row_splits={self._row_splits})"
        return f"<tf.RaggedTensor {array_text(self.numpy())}>"


@export("RaggedTensorSpec")
@register("tf.RaggedTensorSpec")
class RaggedTensorSpec(BatchableTypeSpec):
    """The shape and dtype of a `RaggedTensor`.

    Args:
      shape: The shape as far as it is known, with None for ragged axes.
      dtype: The type of the elements.
      ragged_rank: The number of ragged axes.
      row_splits_dtype: The type of the row splits.

    Raises:
      ValueError: The rank is known neither from `shape` nor from `ragged_rank`, or these differ.
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
        rank = self._shape.rank
        if ragged_rank is None:
            if rank is None:
                raise ValueError("Must specify ragged_rank or a shape with a known rank.")
            ragged_rank = rank - 1
        if rank is not None and ragged_rank >= rank:
            raise ValueError(
                f"Argument `ragged_rank` ({ragged_rank}) must be less than rank ({rank})."
            )
        self._ragged_rank = ragged_rank

    @property
    def shape(self) -> TensorShape:
        """The shape, as far as it is known."""
        return self._shape

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        return self._dtype

    @property
    def ragged_rank(self) -> int:
        """The number of ragged axes."""
        return self._ragged_rank

    @property
    def row_splits_dtype(self) -> DType:
        """The type of the row splits."""
        return self._row_splits_dtype

    @property
    def value_type(self) -> type[RaggedTensor]:
        """The class of what is described."""
        return RaggedTensor

    @property
    def flat_values_spec(self) -> None:
        """None, since the innermost values are a tensor."""
        return

    @classmethod
    def from_value(cls, value: Any) -> RaggedTensorSpec:
        """Describes a ragged tensor.

        Args:
          value: The ragged tensor.

        Returns:
          A RaggedTensorSpec of its shape, dtype and ragged rank.
        """
        return cls(value.shape, value.dtype, value.ragged_rank, value.row_splits.dtype)

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether a ragged tensor, or one that another spec describes, may match this spec.

        Args:
          spec_or_value: A ragged tensor, or another spec; a tensor if no axis is ragged.

        Returns:
          True if shape, dtype, ragged rank and the dtype of the row splits are compatible.
        """
        if not self._ragged_rank and isinstance(spec_or_value, (Tensor, TensorSpec)):
            return TensorSpec(self._shape, self._dtype).is_compatible_with(spec_or_value)
        return super().is_compatible_with(spec_or_value)

    def _serialize(self) -> tuple[Any, ...]:
        return self._shape, self._dtype, self._ragged_rank, self._row_splits_dtype

    @property
    def _component_specs(self) -> list[TensorSpec]:
        depth, kind = self._ragged_rank, self._row_splits_dtype
        if not depth:
            return [TensorSpec(self._shape, self._dtype)]
        known = self._shape.rank is not None
        lengths: list[int | None] = self._shape.as_list() if known else [None] * (depth + 1)
        heights: list[int | None] = [lengths[0]]
        for n in lengths[1 : depth + 1]:
            above = heights[-1]
            heights.append(None if n is None or above is None else above * n)
        flat = TensorShape([heights[-1], *lengths[depth + 1 :]]) if known else TensorShape(None)
        splits = [TensorSpec([None if n is None else n + 1], kind) for n in heights[:-1]]
        return [TensorSpec(flat, self._dtype), *splits]

    def _to_components(self, value: Any) -> list[Any]:
        if isinstance(value, RaggedTensor):
            return [value.flat_values, *value.nested_row_splits]
        return [value]

    def _from_components(self, components: Any) -> Any:
        made, *nested = components
        shape = self._shape
        for axis, splits in reversed(list(enumerate(nested, 1))):
            uniform = None if shape.rank is None else shape[axis]
            made = RaggedTensor(made, splits, uniform)
        return made

    def _as_argument(self, value: Any) -> Any:
        if not isinstance(value, RaggedTensor):
            return value
        return self._from_components(self._to_components(value))

    def _batch(self, batch_size: int | None) -> RaggedTensorSpec:
        shape = TensorShape([batch_size]) + self._shape
        return RaggedTensorSpec(shape, self._dtype, self._ragged_rank + 1, self._row_splits_dtype)

    def _unbatch(self) -> RaggedTensorSpec:
        shape = self._shape if self._shape.rank is None else self._shape[1:]
        return RaggedTensorSpec(shape, self._dtype, self._ragged_rank - 1, self._row_splits_dtype)


def _nested(like: RaggedTensor, parts: list[Any]) -> RaggedTensor:
    """Returns a copy of a ragged tensor with other innermost values and splits."""
    inner = like._values
    values = parts[0]
    if isinstance(inner, RaggedTensor):
        values = _nested(inner, [values, *parts[2:]])
    return RaggedTensor(values, parts[1], like._uniform)


register_composite(
    RaggedTensor, Container(lambda x: [x.flat_values, *x.nested_row_splits], _nested)
)
