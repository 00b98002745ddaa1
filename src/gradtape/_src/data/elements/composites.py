"""Ragged and sparse tensors as elements: splits them into rows, and batches rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import DType, dtype_of, int64
from gradtape._src.base.errors import DataLossError, InvalidArgumentError
from gradtape._src.base.shapes import TensorShape
from gradtape._src.core.tensor import Tensor
from gradtape._src.ops.types.extension_type import (
    BatchableExtensionType,
    ExtensionType,
    ExtensionTypeSpec,
    batch_spec,
    unbatch_spec,
)
from gradtape._src.ops.types.ragged_tensor import RaggedTensor, RaggedTensorSpec
from gradtape._src.ops.types.sparse_tensor import SparseTensor, SparseTensorSpec
from gradtape._src.ops.types.specs import TensorSpec, TypeSpec

Array = np.ndarray[Any, Any]


def batchable(value: Any) -> BatchableExtensionType:
    """Checks that a value of an extension type can be batched.

    Raises:
        ValueError: `value` is of another extension type.
    """
    if isinstance(value, BatchableExtensionType):
        return value
    raise ValueError(
        f"a dataset can't batch or unbatch {type(value).__name__}: make it a subclass of "
        "tf.experimental.BatchableExtensionType"
    )


class RaggedRow:
    """A row of a ragged tensor, which is a tensor for programs and stays ragged in batches.

    Args:
        value: The raw value.
    """

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    @property
    def _type_spec(self) -> RaggedTensorSpec:
        shape: list[int | None] = [None, *self.value.shape[1:]]
        return RaggedTensorSpec(TensorShape(shape), dtype_of(self.value), 0, int64)


def length(value: Any) -> int:
    """Returns the number of rows."""
    if isinstance(value, ExtensionType):
        return batchable(value)._length()
    return int(value.shape[0])


def rows(value: Any) -> Iterator[Any]:
    """Returns the rows of a ragged or sparse tensor."""
    if isinstance(value, SparseTensor):
        yield from _sparse_rows(value)
        return
    if isinstance(value, ExtensionType):
        yield from batchable(value)._each_row()
        return
    splits = np.asarray(value.row_splits).tolist()
    for start, end in pairwise(splits):
        inner = value.values
        if isinstance(inner, RaggedTensor):
            cut = np.asarray(inner.row_splits)[start : end + 1]
            part = _part(inner.values, int(cut[0]), int(cut[-1]))
            yield RaggedTensor.from_row_splits(part, Tensor(cut - cut[0]), validate=False)
        else:
            yield RaggedRow(inner._value[start:end, ...])


def _part(values: Any, start: int, end: int) -> Any:
    if not isinstance(values, RaggedTensor):
        return Tensor(values._value[start:end, ...])
    cut = np.asarray(values.row_splits)[start : end + 1]
    inner = _part(values.values, int(cut[0]), int(cut[-1]))
    return RaggedTensor.from_row_splits(inner, Tensor(cut - cut[0]), validate=False)


def _sparse_rows(value: SparseTensor) -> Iterator[SparseTensor]:
    places, held = value.indices._value, value.values._value
    extent = value.dense_shape._value[1:]
    for row in range(length(value)):
        chosen = places[:, 0] == row
        yield SparseTensor(places[chosen, 1:], Tensor(held[chosen]), extent)


def ragged_batch(leaves: Sequence[Any]) -> RaggedTensor:
    """Makes a ragged tensor whose rows are raw values, ragged rows or ragged tensors."""
    values = [leaf.value if isinstance(leaf, RaggedRow) else leaf for leaf in leaves]
    ragged = [value for value in values if isinstance(value, RaggedTensor)]
    kind = ragged[0].row_splits.dtype.np_dtype if ragged else np.int64
    lengths = np.array([length(value) for value in values], kind)
    if ragged:
        inner: Any = _joined(values)
    else:
        inner = Tensor(np.concatenate(values))
    return RaggedTensor.from_row_lengths(inner, Tensor(lengths), validate=False)


def _joined(values: Sequence[Any]) -> RaggedTensor:
    """Concatenates ragged tensors."""
    lengths = [np.diff(np.asarray(value.row_splits)) for value in values]
    parts = [value.values for value in values]
    if isinstance(parts[0], RaggedTensor):
        inner: Any = _joined(parts)
    else:
        inner = Tensor(np.concatenate([part._value for part in parts]))
    return RaggedTensor.from_row_lengths(inner, Tensor(np.concatenate(lengths)), validate=False)


def sparse_batch(leaves: Sequence[Array], shape: Sequence[int | None]) -> SparseTensor:
    """Combines arrays into a sparse tensor with rows of shape `shape`.

    Raises:
        DataLossError: An array is larger.
        InvalidArgumentError: The rank of an array differs from the number of lengths in `shape`.
    """
    for leaf in leaves:
        if leaf.ndim != len(shape):
            raise InvalidArgumentError(
                None,
                None,
                f"Input element had shape {list(leaf.shape)} that is incompatible with the row "
                f"shape {list(shape)}",
            )
    longest = [max(sizes) for sizes in zip(*[leaf.shape for leaf in leaves], strict=True)]
    extent = [a if b is None else b for a, b in zip(longest, shape, strict=True)]
    places, held = [], []
    for number, leaf in enumerate(leaves):
        if any(a > b for a, b in zip(leaf.shape, extent, strict=True)):
            raise DataLossError(
                None,
                None,
                f"Sparse batch: an element of shape {list(leaf.shape)} does not fit into "
                f"{extent} (`row_shape`)",
            )
        index = np.indices(leaf.shape).reshape(leaf.ndim, -1).T
        places.append(np.concatenate([np.full((len(index), 1), number), index], axis=1))
        held.append(leaf.reshape(-1))
    whole = np.array([len(leaves), *extent], np.int64)
    return SparseTensor(
        np.concatenate(places).astype(np.int64), Tensor(np.concatenate(held)), whole
    )


def batched_spec(spec: Any, size: int | None) -> TypeSpec:
    """Returns the spec of batches of ragged or sparse elements."""
    if isinstance(spec, ExtensionTypeSpec):
        batched: TypeSpec = batch_spec(spec, size)
        return batched
    shape = TensorShape([size]) + spec.shape
    if isinstance(spec, SparseTensorSpec):
        return SparseTensorSpec(shape, spec.dtype)
    return RaggedTensorSpec(shape, spec.dtype, spec.ragged_rank + 1, spec.row_splits_dtype)


def row_spec(spec: Any) -> TypeSpec:
    """Returns the spec of the rows of ragged or sparse elements."""
    if isinstance(spec, ExtensionTypeSpec):
        row: TypeSpec = unbatch_spec(spec)
        return row
    if isinstance(spec, SparseTensorSpec):
        return SparseTensorSpec(spec.shape[1:], spec.dtype)
    rank = spec.ragged_rank - 1
    return RaggedTensorSpec(spec.shape[1:], spec.dtype, rank, spec.row_splits_dtype)


def ragged_spec(spec: Any, size: int | None, row_splits: DType = int64) -> TypeSpec:
    """Returns the spec of ragged batches of tensors with unknown extents."""
    if not isinstance(spec, TensorSpec):
        return batched_spec(spec, size)
    shape, dtype = TensorShape([size]) + spec.shape, spec.dtype
    rank = _unknown(spec.shape)
    return RaggedTensorSpec(shape, dtype, rank, row_splits) if rank else TensorSpec(shape, dtype)


def _unknown(shape: TensorShape) -> int:
    """Returns the number of axes that must be ragged in a batch of tensors of this shape."""
    return max((place + 1 for place, size in enumerate(shape) if size is None), default=0)


def ragged_stack(
    leaves: Sequence[Any], spec: TensorSpec, row_splits: DType = int64
) -> RaggedTensor:
    """Combines raw values of a spec into a ragged batch."""
    rank = _unknown(spec.shape)
    values: list[Any] = [leaf.value if isinstance(leaf, RaggedRow) else leaf for leaf in leaves]
    return _nested(values, rank, row_splits.np_dtype)


def _nested(values: list[Array], rank: int, row_splits: np.dtype[Any]) -> RaggedTensor:
    lengths = np.array([len(value) for value in values], row_splits)
    if rank == 1:
        inner: Any = Tensor(np.concatenate(values))
    else:
        inner = _nested([row for value in values for row in value], rank - 1, row_splits)
    return RaggedTensor.from_row_lengths(inner, Tensor(lengths), validate=False)
