"""Raw operations on the components of sparse tensors."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape._src.base.export import raw_op
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.graph_operations import New, graph_operation
from gradtape._src.declare.structural import broadcast_to_p
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.sparse.algebra import (
    add,
    concat,
    reduce_sum,
    reorder,
    reshape,
    sparse_dense_matmul,
    to_dense,
)
from gradtape._src.ops.sparse.functions import fill_empty_rows, reduce_max, slice_, softmax
from gradtape._src.ops.types.sparse_tensor import SparseTensor, with_dense

Parts = tuple[Tensor, Tensor, Tensor]
"""The indices, values and shape of a sparse tensor."""


def _some(new: New, rank: Any, dtype: Any) -> Parts:
    """Returns a symbolic sparse tensor with a known number of axes."""
    count = shape_of(new([None], np.int64))
    return new([*count, rank], np.int64), new(count, dtype), new([rank], np.int64)


def _rank(places: Any) -> Any:
    return shape_of(places)[1]


def _lengths(shape: Any) -> list[Any]:
    """Returns the lengths in a vector, with None for unknown ones."""
    held = convert_to_tensor(shape)._value
    known = held if isinstance(held, np.ndarray) else held.elements
    return [None] * shape_of(shape)[0] if known is None else known.tolist()


def _product(
    new: New,
    a_indices: Any,
    a_values: Any,
    a_shape: Any,
    b: Any,
    adjoint_a: Any = False,
    adjoint_b: Any = False,
    *_: Any,
    **__: Any,
) -> Tensor:
    sizes, width = _lengths(a_shape), shape_of(b)
    return new([sizes[bool(adjoint_a)], width[not adjoint_b]], convert_to_tensor(b)._value.dtype)


def _reordered(new: New, input_indices: Any, input_values: Any, *_: Any, **__: Any) -> Any:
    return new(shape_of(input_indices), np.int64), new(shape_of(input_values), _kind(input_values))


def _kind(x: Any) -> Any:
    return convert_to_tensor(x)._value.dtype


def _dense(
    new: New, sparse_indices: Any, output_shape: Any, sparse_values: Any, *_: Any, **__: Any
) -> Tensor:
    return new(_lengths(output_shape), _kind(sparse_values))


def _in_shape(
    new: New, input_indices: Any, input_shape: Any, new_shape: Any, *_: Any, **__: Any
) -> Any:
    rank = shape_of(new_shape)[0]
    return new([shape_of(input_indices)[0], rank], np.int64), new([rank], np.int64)


def _reduced(
    new: New,
    input_indices: Any,
    input_values: Any,
    input_shape: Any,
    axis: Any,
    keepdims: Any = False,
    *_: Any,
    **__: Any,
) -> Tensor:
    sizes = _lengths(input_shape)
    axes = {int(a) % len(sizes) for a in np.ravel(convert_to_tensor(axis)._numpy())}
    axes = axes or set(range(len(sizes)))
    kept = [1 if a in axes else n for a, n in enumerate(sizes) if keepdims or a not in axes]
    return new(kept, _kind(input_values))


def _reduced_parts(new: New, *args: Any, **kwargs: Any) -> Parts:
    whole = _reduced(new, *args, **kwargs)
    return _some(new, len(shape_of(whole)), _kind(whole))


def _as_first(new: New, indices: Any, values: Any, *_: Any, **__: Any) -> Parts:
    if isinstance(indices, (list, tuple)):
        indices, values = indices[0], values[0]
    return _some(new, _rank(indices), _kind(values))


def _added(new: New, a_indices: Any, a_values: Any, *_: Any, **__: Any) -> Parts:
    return _as_first(new, a_indices, a_values)


def _with_rows(new: New, indices: Any, values: Any, dense_shape: Any, *_: Any, **__: Any) -> Any:
    places, given, _shape = _some(new, _rank(indices), _kind(values))
    empty = new([_lengths(dense_shape)[0]], np.bool_)
    return places, given, empty, new(shape_of(values), np.int64)


def _like_values(new: New, sp_indices: Any, sp_values: Any, *_: Any, **__: Any) -> Tensor:
    return new(shape_of(sp_values), _kind(sp_values))


def _like_dense(new: New, a_indices: Any, a_values: Any, a_shape: Any, b: Any, **_: Any) -> Tensor:
    return new(shape_of(b), _kind(b))


def _parts(x: Any) -> Parts:
    assert isinstance(x, SparseTensor)
    return x.indices, x.values, x.dense_shape


@raw_op("SparseTensorDenseMatMul")
@graph_operation("SparseTensorDenseMatMul", _product)
def sparse_tensor_dense_mat_mul(
    a_indices: Any,
    a_values: Any,
    a_shape: Any,
    b: Any,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns the product of a sparse and a dense matrix."""
    a = SparseTensor(a_indices, a_values, a_shape)
    return sparse_dense_matmul(a, b, adjoint_a, adjoint_b)


@raw_op("SparseReorder")
@graph_operation("SparseReorder", _reordered)
def sparse_reorder(
    input_indices: Any, input_values: Any, input_shape: Any, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Returns the indices and values of a sparse tensor in row-major order."""
    found = reorder(SparseTensor(input_indices, input_values, input_shape))
    return found.indices, found.values


@raw_op("SparseToDense")
@graph_operation("SparseToDense", _dense)
def sparse_to_dense(
    sparse_indices: Any,
    output_shape: Any,
    sparse_values: Any,
    default_value: Any,
    validate_indices: bool = True,
    name: str | None = None,
) -> Tensor:
    """Returns a tensor with values at some indices, and a default value at all others."""
    values = convert_to_tensor(sparse_values)
    places = cast(convert_to_tensor(sparse_indices), np.int64)
    if not places.shape.rank:
        places = places[None]
    if places.shape.rank == 1:
        places = places[:, None]
    if not values.shape.rank:
        values = broadcast_to_p(values, shape=shape_of(places)[:1])
    sparse = SparseTensor(places, values, cast(convert_to_tensor(output_shape), np.int64))
    return to_dense(sparse, default_value, validate_indices)


@raw_op("SparseReshape")
@graph_operation("SparseReshape", _in_shape)
def sparse_reshape(
    input_indices: Any, input_shape: Any, new_shape: Any, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Returns the indices and the shape of a reshaped sparse tensor."""
    places = convert_to_tensor(input_indices)
    found = reshape(SparseTensor(places, places[:, 0], input_shape), new_shape)
    return found.indices, found.dense_shape


@raw_op("SparseReduceSum", reduction_axes="axis", keep_dims="keepdims")
@graph_operation("SparseReduceSum", _reduced)
def sparse_reduce_sum(
    input_indices: Any,
    input_values: Any,
    input_shape: Any,
    axis: Any,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns the sums of a sparse tensor's values along axes."""
    sparse = SparseTensor(input_indices, input_values, input_shape)
    found = reduce_sum(sparse, axis, keepdims)
    assert isinstance(found, Tensor)
    return found


@raw_op("SparseReduceSumSparse", reduction_axes="axis", keep_dims="keepdims")
@graph_operation("SparseReduceSumSparse", _reduced_parts)
def sparse_reduce_sum_sparse(
    input_indices: Any,
    input_values: Any,
    input_shape: Any,
    axis: Any,
    keepdims: bool = False,
    name: str | None = None,
) -> Parts:
    """Returns the sums of a sparse tensor's values along axes, as a sparse tensor."""
    sparse = SparseTensor(input_indices, input_values, input_shape)
    return _parts(reduce_sum(sparse, axis, keepdims, output_is_sparse=True))


@raw_op("SparseReduceMax", reduction_axes="axis", keep_dims="keepdims")
@graph_operation("SparseReduceMax", _reduced)
def sparse_reduce_max(
    input_indices: Any,
    input_values: Any,
    input_shape: Any,
    axis: Any,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns the greatest values of a sparse tensor along axes."""
    found = reduce_max(SparseTensor(input_indices, input_values, input_shape), axis, keepdims)
    assert isinstance(found, Tensor)
    return found


@raw_op("SparseReduceMaxSparse", reduction_axes="axis", keep_dims="keepdims")
@graph_operation("SparseReduceMaxSparse", _reduced_parts)
def sparse_reduce_max_sparse(
    input_indices: Any,
    input_values: Any,
    input_shape: Any,
    axis: Any,
    keepdims: bool = False,
    name: str | None = None,
) -> Parts:
    """Returns the greatest values of a sparse tensor along axes, as a sparse tensor."""
    sparse = SparseTensor(input_indices, input_values, input_shape)
    return _parts(reduce_max(sparse, axis, keepdims, output_is_sparse=True))


@raw_op("SparseAdd")
@graph_operation("SparseAdd", _added)
def sparse_add(
    a_indices: Any,
    a_values: Any,
    a_shape: Any,
    b_indices: Any,
    b_values: Any,
    b_shape: Any,
    thresh: Any,
    name: str | None = None,
) -> Parts:
    """Returns the sum of two sparse tensors, without elements smaller than `thresh`."""
    a, b = (
        SparseTensor(*parts)
        for parts in ((a_indices, a_values, a_shape), (b_indices, b_values, b_shape))
    )
    return _parts(add(a, b, threshold=thresh))


@raw_op("SparseTensorDenseAdd")
@graph_operation("SparseTensorDenseAdd", _like_dense)
def sparse_tensor_dense_add(
    a_indices: Any, a_values: Any, a_shape: Any, b: Any, name: str | None = None
) -> Tensor:
    """Returns the sum of a sparse tensor and a dense one."""
    places, shape = (cast(convert_to_tensor(x), np.int64) for x in (a_indices, a_shape))
    found = add(SparseTensor(places, a_values, shape), b)
    assert isinstance(found, Tensor)
    return found


@raw_op("SparseSlice")
@graph_operation("SparseSlice", _as_first)
def sparse_slice(
    indices: Any, values: Any, shape: Any, start: Any, size: Any, name: str | None = None
) -> Parts:
    """Returns a part of a sparse tensor."""
    return _parts(slice_(SparseTensor(indices, values, shape), start, size))


@raw_op("SparseConcat")
@graph_operation("SparseConcat", _as_first)
def sparse_concat(
    indices: Any, values: Any, shapes: Any, concat_dim: int, name: str | None = None
) -> Parts:
    """Returns sparse tensors joined along an axis."""
    parts = [SparseTensor(*own) for own in zip(indices, values, shapes, strict=True)]
    return _parts(concat(concat_dim, parts))


@raw_op("SparseFillEmptyRows")
@graph_operation("SparseFillEmptyRows", _with_rows)
def sparse_fill_empty_rows(
    indices: Any, values: Any, dense_shape: Any, default_value: Any, name: str | None = None
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Adds a value in the first column of each row that has no elements.

    Returns:
      The new indices and values, a mask of the rows that were empty, and the new position of each
      old value.
    """
    x = SparseTensor(indices, values, dense_shape)
    found, empty = fill_empty_rows(x, default_value)
    before = np.asarray(x.indices._numpy())[:, 0]
    lacking = np.flatnonzero(np.asarray(empty._numpy()))
    order = np.argsort(before, kind="stable")
    places = np.empty(len(before), np.int64)
    places[order] = np.arange(len(before)) + np.searchsorted(lacking, before[order])
    return found.indices, found.values, empty, Tensor(places)


@raw_op("SparseSoftmax")
@graph_operation("SparseSoftmax", _like_values)
def sparse_softmax(
    sp_indices: Any, sp_values: Any, sp_shape: Any, name: str | None = None
) -> Tensor:
    """Returns the softmax of the values in each row of a sparse tensor."""
    return softmax(SparseTensor(sp_indices, sp_values, sp_shape)).values


@raw_op("SparseDenseCwiseAdd")
@graph_operation("SparseDenseCwiseAdd", _like_values)
def sparse_dense_cwise_add(
    sp_indices: Any, sp_values: Any, sp_shape: Any, dense: Any, name: str | None = None
) -> Tensor:
    """Returns the sums of stored elements and those of a dense tensor, which is broadcast."""
    return _combined(operator.add, sp_indices, sp_values, sp_shape, dense)


@raw_op("SparseDenseCwiseMul")
@graph_operation("SparseDenseCwiseMul", _like_values)
def sparse_dense_cwise_mul(
    sp_indices: Any, sp_values: Any, sp_shape: Any, dense: Any, name: str | None = None
) -> Tensor:
    """Returns the products of stored elements and those of a dense tensor, which is broadcast."""
    return _combined(operator.mul, sp_indices, sp_values, sp_shape, dense)


@raw_op("SparseDenseCwiseDiv")
@graph_operation("SparseDenseCwiseDiv", _like_values)
def sparse_dense_cwise_div(
    sp_indices: Any, sp_values: Any, sp_shape: Any, dense: Any, name: str | None = None
) -> Tensor:
    """Returns the quotients of stored elements and those of a dense tensor, which is broadcast."""
    return _combined(operator.truediv, sp_indices, sp_values, sp_shape, dense)


def _combined(operation: Callable[[Any, Any], Any], *args: Any) -> Tensor:
    """Returns the new values of the stored elements of a sparse tensor."""
    found: Tensor = with_dense(operation, SparseTensor(*args[:3]), args[3]).values
    return found
