"""More functions of `tf.sparse`: slices, empty rows, counts, and sums of segments."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._src.base.dtypes import as_dtype, float32, int32, int64
from gradtape._src.base.error_messages import allocated
from gradtape._src.base.errors import About
from gradtape._src.base.export import export, raw_op
from gradtape._src.base.indexed_slices import IndexedSlices
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import axis_index, integer, invalid, reduced, sizes
from gradtape._src.declare.attributes import takes
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.open_graphs import with_fed_values
from gradtape._src.declare.structural import concat_p, count, reshape_p
from gradtape._src.ops.array.gather import gather, gather_p
from gradtape._src.ops.array.joining import concat
from gradtape._src.ops.array.scatter import gather_nd
from gradtape._src.ops.elementwise.exponential import exp
from gradtape._src.ops.linalg.diagonals import matrix_transpose
from gradtape._src.ops.reduce.counting import bincount as dense_bincount
from gradtape._src.ops.reduce.counting import check_binary
from gradtape._src.ops.reduce.reductions import reduce_sum
from gradtape._src.ops.reduce.segment import (
    segment_max,
    segment_mean,
    segment_sum,
    unsorted_segment_max,
    unsorted_segment_mean,
    unsorted_segment_sqrt_n,
    unsorted_segment_sum,
)
from gradtape._src.ops.types.sparse_tensor import SparseTensor

Numbers = np.ndarray[Any, Any]


def _given(x: Any, op: str) -> SparseTensor:
    if not isinstance(x, SparseTensor):
        raise TypeError(f"tf.sparse.{op}: Input must be a SparseTensor, got {type(x).__name__}")
    return x


def _parts(x: SparseTensor) -> tuple[Numbers, tuple[int, ...]]:
    shape = np.asarray(x.dense_shape._numpy()).tolist()
    return np.asarray(x.indices._numpy()), tuple(shape)


def _made(places: Numbers, values: Any, shape: Any) -> SparseTensor:
    return SparseTensor(
        Tensor(np.ascontiguousarray(places, np.int64)), values, Tensor(np.array(shape, np.int64))
    )


def _rows(values: Any, at: Any) -> Any:
    return gather_p(values, Tensor(np.asarray(at)), axis=0, batch_dims=0)


@export("sparse.eye")
def eye(
    num_rows: Any, num_columns: Any = None, dtype: Any = float32, name: str | None = None
) -> SparseTensor:
    """Returns a sparse matrix with ones on its diagonal.

    Args:
      num_rows: The number of rows.
      num_columns: The number of columns. Defaults to the number of rows.
      dtype: The dtype of the ones.
      name: Accepted for compatibility.

    Returns:
      A SparseTensor of shape (num_rows, num_columns).

    >>> tf.sparse.to_dense(tf.sparse.eye(2)).numpy()
    array([[1., 0.],
           [0., 1.]], dtype=float32)
    """
    n = integer(num_rows, "sparse.eye", "num_rows")
    m = n if num_columns is None else integer(num_columns, "sparse.eye", "num_columns")
    k = min(n, m)
    line = allocated("Range", (k,), np.arange, k)
    return _made(np.stack([line, line], -1), np.ones(len(line), as_dtype(dtype).np_dtype), [n, m])


@export("sparse.fill_empty_rows")
@with_fed_values
def fill_empty_rows(
    sp_input: Any, default_value: Any, name: str | None = None
) -> tuple[SparseTensor, Tensor]:
    """Adds an element to each row without elements, in the first column.

    Args:
      sp_input: A sparse matrix.
      default_value: The value of the added elements.
      name: Accepted for compatibility.

    Returns:
      The matrix, and a bool vector of the rows that had no element.

    Raises:
      TypeError: `sp_input` is not a SparseTensor.
    """
    x = _given(sp_input, "fill_empty_rows")
    places, shape = _parts(x)
    empty = np.setdiff1d(np.arange(shape[0]), places[:, 0])
    fill = convert_to_tensor(default_value, x.dtype)
    holes = np.zeros((len(empty), len(shape)), np.int64)
    holes[:, 0] = empty
    both = np.concatenate([places, holes])
    order = np.argsort(both[:, 0], kind="stable")
    filler = _rows(reshape_p(fill, shape=(1,)), np.zeros(len(empty), np.int64))
    values = _rows(concat_p(x.values, filler, axis=-1), order)
    missing = np.isin(np.arange(shape[0]), empty)
    return _made(both[order], values, shape), Tensor(missing)


@export("sparse.reduce_max")
@takes(keepdims="bool")
@with_fed_values
def reduce_max(
    sp_input: Any,
    axis: Any = None,
    keepdims: Any = None,
    output_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor | SparseTensor:
    """Returns the greatest stored element along axes, or 0 if there are none.

    Args:
      sp_input: A sparse tensor.
      axis: The axes. Defaults to all.
      keepdims: Whether the reduced axes are kept, with length one.
      output_is_sparse: Whether the result is sparse.
      name: Accepted for compatibility.

    Returns:
      A tensor, or a SparseTensor with `output_is_sparse`.

    Raises:
      TypeError: `sp_input` is not a SparseTensor.
      InvalidArgumentError: An axis is out of range.

    >>> x = tf.sparse.SparseTensor([[0, 1], [1, 0]], [5, 7], [2, 2])
    >>> tf.sparse.reduce_max(x, axis=1).numpy()
    array([5, 7], dtype=int32)
    """
    x = _given(sp_input, "reduce_max")
    places, shape = _parts(x)
    rank = len(shape)
    gone = [a % rank for a in reduced(axis, rank, "SparseReduceMax")]
    kept = [a for a in range(rank) if a not in gone]
    rest = tuple(shape[a] for a in kept)
    flat = _flat(places[:, kept], rest)
    there, which = np.unique(flat, return_inverse=True)
    best = unsorted_segment_max(x.values, which.reshape(-1).astype(np.int32), len(there))
    full = [1 if a in gone else shape[a] for a in range(rank)] if keepdims else list(rest)
    spots = np.stack(np.unravel_index(there, tuple(full) or (1,)), -1)
    if output_is_sparse:
        return _made(spots[:, : len(full)], best, full)
    out = unsorted_segment_sum(best, there.astype(np.int32), count(rest))
    return reshape_p(out, shape=tuple(full))


def _flat(places: Numbers, shape: tuple[int, ...]) -> Numbers:
    if not shape:
        return np.zeros(len(places), np.int64)
    columns = tuple(places.T)
    return np.asarray(allocated("SparseTensor", shape, np.ravel_multi_index, columns, shape))


@export("sparse.reset_shape")
@with_fed_values
def reset_shape(sp_input: Any, new_shape: Any = None) -> SparseTensor:
    """Changes the shape to a larger one, or to the smallest one that holds all elements.

    Args:
      sp_input: A sparse tensor.
      new_shape: The new shape. Defaults to the smallest one that holds all elements.

    Returns:
      A SparseTensor of the elements of `sp_input`.

    Raises:
      ValueError: The new shape is smaller than the shape of the tensor, or has a different rank.
    """
    x = _given(sp_input, "reset_shape")
    places, shape = _parts(x)
    if new_shape is None:
        least = places.max(0) + 1 if len(places) else np.zeros(len(shape), np.int64)
        return _made(places, x.values, least)
    wanted = sizes(new_shape, "sparse.reset_shape", "new_shape")
    if len(wanted) != len(shape):
        raise ValueError(f"Dimensions {len(wanted)} and {len(shape)} are not compatible")
    if any(n > m for n, m in zip(shape, wanted, strict=True)):
        raise ValueError(
            f"Requested new_shape should have dimension sizes >= sp_input.shape.  Found new_shape "
            f"({list(wanted)}), sp_input.shape ({list(shape)})."
        )
    return _made(places, x.values, wanted)


@export("sparse.slice")
@with_fed_values
def slice_(sp_input: Any, start: Any, size: Any, name: str | None = None) -> SparseTensor:
    """Returns a part of a sparse tensor.

    Args:
      sp_input: A sparse tensor.
      start: The start along each axis.
      size: The length of the part along each axis, limited by the end of the tensor.
      name: Accepted for compatibility.

    Returns:
      A SparseTensor of the elements in the part, with indices relative to `start`.

    Raises:
      TypeError: `sp_input` is not a SparseTensor.
    """
    x = _given(sp_input, "slice")
    _, shape = _parts(x)
    begin = np.array(sizes(start, "SparseSlice", "start"), np.int64)
    length = np.array(sizes(size, "SparseSlice", "size"), np.int64)
    if not len(begin) == len(length) == len(shape):
        raise invalid(
            f"start {begin.tolist()} and size {length.tolist()} must have length {len(shape)}, "
            f"the rank [Op:SparseSlice]"
        )
    return _part(x, begin, np.clip(np.array(shape, np.int64) - begin, 0, length))


def _part(x: SparseTensor, begin: Numbers, shape: Numbers) -> SparseTensor:
    places, _ = _parts(x)
    inside = np.flatnonzero(((places >= begin) & (places < begin + shape)).all(-1))
    return _made(places[inside] - begin, _rows(x.values, inside), shape)


@export("sparse.split")
@with_fed_values
def split(
    sp_input: Any = None, num_split: Any = None, axis: Any = None, name: str | None = None
) -> list[SparseTensor]:
    """Splits a sparse tensor along an axis into parts whose lengths differ by at most one.

    Args:
      sp_input: A sparse tensor.
      num_split: The number of parts.
      axis: The axis.
      name: Accepted for compatibility.

    Returns:
      A list of `num_split` SparseTensors.

    Raises:
      TypeError: `sp_input` is not a SparseTensor.
      ValueError: An argument is missing.
      InvalidArgumentError: There are more parts than elements along the axis, or the axis is out of
        range.
    """
    for what, value in (("sp_input", sp_input), ("num_split", num_split), ("axis", axis)):
        if value is None:
            raise ValueError(f"{what} is required")
    x = _given(sp_input, "split")
    _, shape = _parts(x)
    at = axis_index(axis, len(shape), "SparseSplit", "axis {axis} is out of range for {rank} axes")
    parts = integer(num_split, "SparseSplit", "num_split")
    if not 1 <= parts <= shape[at]:
        raise invalid(
            f"Input num_split should be between 1 and the splitting dimension size ({shape[at]}), "
            f"got {parts} [Op:SparseSplit]"
        )
    out, begin = [], np.zeros(len(shape), np.int64)
    for k in range(parts):
        length = np.array(shape)
        length[at] = shape[at] // parts + (k < shape[at] % parts)
        out.append(_part(x, begin, length))
        begin[at] += length[at]
    return out


@export("sparse.softmax")
@with_fed_values
def softmax(sp_input: Any, name: str | None = None) -> SparseTensor:
    """Returns the softmax of the stored elements along the last axis.

    Args:
      sp_input: A floating-point sparse tensor of rank two or more, with indices in row-major order.
      name: Accepted for compatibility.

    Returns:
      A SparseTensor with the indices of `sp_input`.

    Raises:
      TypeError: `sp_input` is not a SparseTensor.
    """
    x = _given(sp_input, "softmax")
    places, shape = _parts(x)
    _, which = np.unique(_flat(places[:, :-1], shape[:-1]), return_inverse=True)
    rows = Tensor(which.reshape(-1))
    powers = exp(x.values - _rows(segment_max(x.values, rows), which.reshape(-1)))
    return x.with_values(powers / _rows(segment_sum(powers, rows), which.reshape(-1)))


@export("sparse.to_indicator")
@with_fed_values
def to_indicator(sp_input: Any, vocab_size: Any, name: str | None = None) -> Tensor:
    """Converts the ids in each row to a boolean tensor of shape (..., vocab_size).

    Args:
      sp_input: An integer sparse tensor of shape (..., n).
      vocab_size: The number of ids.
      name: Accepted for compatibility.

    Returns:
      A bool tensor of shape (..., vocab_size).

    Raises:
      TypeError: `sp_input` is not a SparseTensor.
      InvalidArgumentError: An id is out of range.
    """
    x = _given(sp_input, "to_indicator")
    places, shape = _parts(x)
    n = integer(vocab_size, "SparseToIndicator", "vocab_size")
    ids = np.asarray(x.values._numpy()).astype(np.int64)
    if ids.size and (ids.min() < 0 or ids.max() >= n):
        raise invalid(
            f"ids must lie in [0, {n}), got {ids.tolist()} [Op:SparseToIndicator]", About.VALUES
        )
    out = np.zeros((*shape[:-1], n), bool)
    out[(*places[:, :-1].T, ids)] = True
    return Tensor(out)


@export("sparse.bincount")
@takes(minlength="int", maxlength="int")
@with_fed_values
def bincount(
    values: Any,
    weights: Any = None,
    axis: int | None = 0,
    minlength: Any = None,
    maxlength: Any = None,
    binary_output: bool = False,
    name: str | None = None,
) -> SparseTensor:
    """Counts how often each integer occurs, as a sparse tensor.

    Args:
      values: A tensor or sparse tensor of non-negative integers.
      weights: The weight of each element, at the same indices.
      axis: If 0, all elements are counted together; if -1, each row separately.
      minlength: The minimum length of the result.
      maxlength: The maximum length of the result; integers that do not fit are not counted.
      binary_output: If true, the result is 1 for each integer that occurs, instead of the count;
        not with `weights`.
      name: Accepted for compatibility.

    Returns:
      A SparseTensor of shape (n,), or (batch, n) if `values` has two axes.

    Raises:
      ValueError: The axis is neither 0 nor -1, or `binary_output` is true and `weights` are given.
      InvalidArgumentError: An integer is negative, or the shapes differ.
    """
    check_binary(binary_output, weights)
    if axis not in (None, 0, -1):
        raise ValueError(
            f"Unsupported value for argument axis={axis}. Only 0 and -1 are supported."
        )
    if isinstance(values, SparseTensor):
        places, shape = _parts(values)
        ids, rows = np.asarray(values.values._numpy()), places[:, 0]
        own = None if weights is None else np.asarray(weights.values._numpy())
        whole = axis != -1 or len(shape) < 2
    else:
        dense = np.asarray(tensor(values)._numpy())
        shape, whole = dense.shape, axis != -1 or dense.ndim < 2
        ids = dense.reshape(-1)
        rows = np.repeat(np.arange(shape[0]), count(shape[1:])) if shape else ids * 0
        own = None if weights is None else np.asarray(tensor(weights)._numpy()).reshape(-1)
    most = int(ids.max()) + 1 if ids.size else 1
    most = max(most, int(minlength or 0))
    most = most if maxlength is None else min(most, int(maxlength))
    kind = int64 if ids.dtype == np.int64 else int32
    lines = [ids] if whole else [ids[rows == i] for i in range(shape[0])]
    loads = [own] if whole or own is None else [own[rows == i] for i in range(shape[0])]
    found, totals = [], []
    for i, line in enumerate(lines):
        load = None if own is None else loads[i]
        counts = dense_bincount(line, load, most, most, kind, binary_output=binary_output)
        there = np.unique(line[line < most]).astype(np.int64)
        spots = there[:, None] if whole else np.stack([np.full(len(there), i), there], -1)
        found.append(spots)
        totals.append(np.asarray(counts._numpy())[there])
    size = [most] if whole else [shape[0], most]
    return _made(np.concatenate(found), np.concatenate(totals), size)


@export("sparse.mask")
@with_fed_values
def mask(a: Any, mask_indices: Any, name: str | None = None) -> IndexedSlices:
    """Removes some rows from `IndexedSlices`.

    Args:
      a: `IndexedSlices`.
      mask_indices: The indices of the rows to remove.
      name: Accepted for compatibility.

    Returns:
      `IndexedSlices` without the rows with these indices.
    """
    places = np.asarray(tensor(a.indices)._numpy())
    kept = np.flatnonzero(~np.isin(places, np.asarray(tensor(mask_indices)._numpy())))
    return IndexedSlices(_rows(a.values, kept), Tensor(places[kept]), a.dense_shape)


def _segments(
    data: Any, indices: Any, segment_ids: Any, op: str, sparse_gradient: bool
) -> tuple[Any, Any]:
    x = tensor(data)
    places = np.asarray(tensor(indices)._numpy())
    ids = np.asarray(tensor(segment_ids)._numpy())
    if places.shape != ids.shape:
        raise invalid(f"segment_ids and indices should have same size. [Op:{op}]")
    rows = shape_of(x)[0]
    for k in np.flatnonzero((places < 0) | (places >= rows))[:1]:
        raise invalid(
            f"Bad: indices[{k}] == {places[k]} out of range [0, {rows}) [Op:{op}]", About.VALUES
        )
    if (np.diff(ids) < 0).any():
        raise invalid(f"segment ids are not increasing [Op:{op}]", About.VALUES)
    return (gather if sparse_gradient else _rows)(x, places), Tensor(ids)


@export("sparse.segment_sum")
@takes(sparse_gradient="bool")
@raw_op("SparseSegmentSumWithNumSegments")
@raw_op("SparseSegmentSum")
def sparse_segment_sum(
    data: Any,
    indices: Any,
    segment_ids: Any,
    num_segments: Any = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """Returns the sums of some rows of a tensor.

    Args:
      data: A tensor of rows.
      indices: The indices of the rows, an integer vector.
      segment_ids: The index of the sum that each row belongs to, a non-decreasing vector.
      num_segments: The number of sums. Defaults to the last id plus one.
      name: Accepted for compatibility.
      sparse_gradient: Whether the gradient of `data` is `tf.IndexedSlices` of the rows.

    Returns:
      A tensor of shape (segments, ...), zero for segments without rows.

    Raises:
      InvalidArgumentError: An index is out of range, the ids decrease or the lengths differ.
    """
    rows, ids = _segments(data, indices, segment_ids, "SparseSegmentSum", sparse_gradient)
    if num_segments is None:
        return segment_sum(rows, ids)
    return unsorted_segment_sum(rows, ids, num_segments)


@export("sparse.segment_mean")
@takes(sparse_gradient="bool")
@raw_op("SparseSegmentMeanWithNumSegments")
@raw_op("SparseSegmentMean")
def sparse_segment_mean(
    data: Any,
    indices: Any,
    segment_ids: Any,
    num_segments: Any = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """Computes the means of segments of some rows of a tensor.

    Args:
      data: A tensor of rows.
      indices: The indices of the rows, an integer vector.
      segment_ids: The index of the sum that each row belongs to, a non-decreasing vector.
      num_segments: The number of sums. Defaults to the last id plus one.
      name: Accepted for compatibility.
      sparse_gradient: Whether the gradient of `data` is `tf.IndexedSlices` of the rows.

    Returns:
      A tensor of shape (segments, ...), zero for segments without rows.

    Raises:
      InvalidArgumentError: An index is out of range, the ids decrease or the lengths differ.
    """
    rows, ids = _segments(data, indices, segment_ids, "SparseSegmentMean", sparse_gradient)
    if num_segments is None:
        return segment_mean(rows, ids)
    return unsorted_segment_mean(rows, ids, num_segments)


@export("sparse.segment_sqrt_n")
@takes(sparse_gradient="bool")
@raw_op("SparseSegmentSqrtNWithNumSegments")
@raw_op("SparseSegmentSqrtN")
def sparse_segment_sqrt_n(
    data: Any,
    indices: Any,
    segment_ids: Any,
    num_segments: Any = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """Computes sums of segments of some rows, divided by the square root of the number of rows.

    Args:
      data: A tensor of rows.
      indices: The indices of the rows, an integer vector.
      segment_ids: The index of the sum that each row belongs to, a non-decreasing vector.
      num_segments: The number of sums. Defaults to the last id plus one.
      name: Accepted for compatibility.
      sparse_gradient: Whether the gradient of `data` is `tf.IndexedSlices` of the rows.

    Returns:
      A tensor of shape (segments, ...), zero for segments without rows.

    Raises:
      InvalidArgumentError: An index is out of range, the ids decrease or the lengths differ.
    """
    rows, ids = _segments(data, indices, segment_ids, "SparseSegmentSqrtN", sparse_gradient)
    if num_segments is None:
        numbers = np.asarray(ids._numpy())
        num_segments = int(numbers[-1]) + 1 if len(numbers) else 0
    return unsorted_segment_sqrt_n(rows, ids, num_segments)


@export("sparse.sampled_addmm")
@with_fed_values
def sampled_addmm(
    indices: Any,
    values: Any,
    dense_shape: Any,
    mat1: Any,
    mat2: Any,
    beta: Any = 1.0,
    alpha: Any = 1.0,
    output_type: Any = float32,
) -> tuple[Tensor, Tensor, Tensor]:
    """Returns beta * values + alpha * (mat1 @ mat2) at the indices of a sparse matrix.

    Args:
      indices: The indices, of shape (..., n, 2).
      values: The elements, of shape (..., n).
      dense_shape: The shape of each sparse matrix.
      mat1: A matrix, or a batch of them.
      mat2: A matrix, or a batch of them.
      beta: The factor of the elements.
      alpha: The factor of the product.
      output_type: The dtype of the result.

    Returns:
      The indices, the elements, and the shape.

    Raises:
      ValueError: A value has another dtype than `output_type`, or `dense_shape` is not that of the
        product.
      InvalidArgumentError: An index is out of range.
    """
    kind = as_dtype(output_type)
    at, own = tensor(indices), convert_to_tensor(values, kind)
    left, right = convert_to_tensor(mat1, kind), convert_to_tensor(mat2, kind)
    size, made = sizes(dense_shape, "sampled_addmm"), (shape_of(left)[-2], shape_of(right)[-1])
    if size != made:
        raise ValueError(f"Dense shape: {size} does not match output shape: {made}")
    outer = len(shape_of(left)) - 2
    batch, row, column = at[..., :-2], at[..., :-1], at[..., -1:]
    rows = gather_nd(left, row, batch_dims=outer)
    columns = gather_nd(matrix_transpose(right), concat([batch, column], -1), batch_dims=outer)
    product = reduce_sum(rows * columns, -1)
    return at, own * beta + product * alpha, convert_to_tensor(size, int32)
