"""Counts of the integers in ragged and sparse tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._src.base.dispatch import implements
from gradtape._src.base.dtypes import as_dtype, int32
from gradtape._src.base.errors import About
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import integer, invalid
from gradtape._src.declare.graph_operations import New, graph_operation
from gradtape._src.declare.open_graphs import with_fed_values
from gradtape._src.ops.reduce import counting
from gradtape._src.ops.sparse import functions as sparse_functions
from gradtape._src.ops.types.ragged_tensor import RaggedTensor
from gradtape._src.ops.types.sparse_tensor import SparseTensor


def _check(axis: Any, rank: int | None, weights: Any, binary_output: bool) -> None:
    if axis not in (None, 0, -1):
        raise ValueError(
            f"Unsupported value for argument axis={axis}. Only 0 and -1 are currently supported."
        )
    if axis == -1 and rank != 2:
        raise ValueError(f"bincount: `arr` must be a matrix if axis is -1, but its rank is {rank}")
    if binary_output and weights is not None:
        raise ValueError(
            "Arguments `binary_output` and `weights` are mutually exclusive. Please specify only "
            "one."
        )


def _by_rows(
    rows: Any,
    height: int,
    values: Any,
    weights: Any,
    bounds: tuple[Any, Any],
    dtype: Any,
    binary: bool,
) -> Tensor:
    """Counts integers in each row separately.

    Args:
      rows: The row of each value.
      height: The number of rows.
      values: The integers.
      weights: The weight of each value, or None.
      bounds: The minimum and the maximum number of columns, each of which may be None.
      dtype: The dtype of the counts.
      binary: If true, the result is 1 for each integer that occurs, instead of the count.
    """
    least, most = (None if n is None else integer(n, "DenseBincount", "length") for n in bounds)
    ids = np.asarray(values._numpy()).astype(np.int64)
    if (ids < 0).any():
        raise invalid("Input arr must be non-negative! [Op:DenseBincount]", About.VALUES)
    width = max(int(ids.max(initial=-1)) + 1, least or 0)
    width = width if most is None else min(width, most)
    kept = ids < width
    kind = as_dtype(dtype).np_dtype if weights is None else weights.dtype.np_dtype
    out = np.zeros((height, width), kind)
    each = 1 if weights is None else np.asarray(weights._numpy())[kept]
    np.add.at(out, (np.asarray(rows)[kept], ids[kept]), each)
    return Tensor(np.minimum(out, 1).astype(kind) if binary else out)


def _counts_result(
    new: New,
    arr: RaggedTensor,
    weights: Any = None,
    minlength: Any = None,
    maxlength: Any = None,
    dtype: Any = int32,
    name: str | None = None,
    axis: int | None = None,
    binary_output: bool = False,
) -> Tensor:
    _check(axis, len(arr.shape), weights, binary_output)
    kind = as_dtype(int32 if dtype is None else dtype) if weights is None else weights.dtype
    return new([arr.shape[0], None] if axis == -1 else [None], kind)


@implements(counting.bincount, arr=RaggedTensor)
@graph_operation("RaggedBincount", _counts_result)
def _bincount_ragged(
    arr: RaggedTensor,
    weights: Any = None,
    minlength: Any = None,
    maxlength: Any = None,
    dtype: Any = int32,
    name: str | None = None,
    axis: int | None = None,
    binary_output: bool = False,
) -> Tensor:
    _check(axis, len(arr.shape), weights, binary_output)
    loads = None if weights is None else _matching(arr, weights).flat_values
    how = ((minlength, maxlength), dtype, binary_output)
    if axis != -1:
        return _of_all(arr.flat_values, loads, *how)
    rows, height = arr.value_rowids()._numpy(), arr._height()
    return _by_rows(rows, height, arr.flat_values, loads, *how)


def _of_all(
    values: Tensor, loads: Any, lengths: tuple[Any, Any], dtype: Any, binary_output: bool
) -> Tensor:
    """Counts the values of all rows together."""
    return counting.bincount(values, loads, *lengths, dtype, binary_output=binary_output)


def _matching(arr: RaggedTensor, weights: Any) -> RaggedTensor:
    if not isinstance(weights, RaggedTensor):
        raise ValueError(
            "`weights` must be a RaggedTensor if `values` is a RaggedTensor. Received argument "
            f"weights={weights} of type: {type(weights).__name__}."
        )
    same = len(arr.nested_row_splits) == len(weights.nested_row_splits) and all(
        np.array_equal(a._numpy(), b._numpy())
        for a, b in zip(arr.nested_row_splits, weights.nested_row_splits, strict=True)
    )
    if not same:
        raise invalid(
            "'weights' and 'values' must have the same row splits. [Op:Bincount]", About.VALUES
        )
    return weights


@implements(counting.bincount, arr=SparseTensor)
@with_fed_values
def _bincount_sparse(
    arr: SparseTensor,
    weights: Any = None,
    minlength: Any = None,
    maxlength: Any = None,
    dtype: Any = int32,
    name: str | None = None,
    axis: int | None = None,
    binary_output: bool = False,
) -> Tensor:
    _check(axis, arr.shape.rank, weights, binary_output)
    if weights is not None and not isinstance(weights, SparseTensor):
        raise ValueError(
            f"Argument `weights` must be a SparseTensor if `values` is a SparseTensor. Received "
            f"weights={weights} of type: {type(weights).__name__}"
        )
    loads = None if weights is None else weights.values
    how = ((minlength, maxlength), dtype, binary_output)
    if axis != -1:
        return _of_all(arr.values, loads, *how)
    rows, height = arr.indices._numpy()[:, 0], int(arr.dense_shape._numpy()[0])
    return _by_rows(rows, height, arr.values, loads, *how)


@implements(sparse_functions.bincount, values=RaggedTensor)
@with_fed_values
def _sparse_bincount(
    values: RaggedTensor,
    weights: Any = None,
    axis: int | None = 0,
    minlength: Any = None,
    maxlength: Any = None,
    binary_output: bool = False,
    name: str | None = None,
) -> SparseTensor:
    loads = None if weights is None else _matching(values, weights)
    if axis in (None, 0):
        own = None if loads is None else loads.flat_values
        flat = convert_to_tensor(values.flat_values)
        return sparse_functions.bincount(flat, own, 0, minlength, maxlength, binary_output)
    given = None if loads is None else loads.to_sparse()
    whole = values.to_sparse()
    return sparse_functions.bincount(whole, given, axis, minlength, maxlength, binary_output)
