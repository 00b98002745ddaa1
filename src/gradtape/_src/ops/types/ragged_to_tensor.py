"""Conversions between dense, sparse and ragged tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._src.base.dtypes import int64, string
from gradtape._src.base.errors import About
from gradtape._src.base.shapes import as_shape
from gradtape._src.compute.axis_sums import repeated
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import invalid, shown_shape
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.graph_operations import New, graph_operation
from gradtape._src.declare.structural import broadcast_to_p, count, reshape_p
from gradtape._src.ops.array.gather import gather_p
from gradtape._src.ops.array.scatter import put_rows_p


def places(x: Any) -> tuple[np.ndarray[Any, Any], list[int]]:
    """Returns the index of each innermost value along each axis, and the lengths of the axes."""
    size, found = [x._height()], np.arange(x._height())[None]
    level = x
    while not isinstance(level, Tensor):
        splits = level._splits()
        lengths = np.diff(splits)
        row = repeated(np.arange(len(lengths)), lengths)
        within = np.arange(len(row)) - splits[row]
        found = np.concatenate([found[:, row], within[None]])
        size.append(int(lengths.max(initial=0)))
        level = level.values
    return found, size


def _padded_result(new: New, x: Any, default_value: Any, shape: Any) -> Tensor:
    size, level = [x._height()], x
    while not isinstance(level, Tensor):
        size.append(level._uniform)
        level = level.values
    size += shape_of(level)[1:]
    if shape is not None:
        wish = as_shape(shape).as_list()
        begin = [n if w is None else w for n, w in zip(size, wish, strict=False)]
        size = [*begin, *size[len(wish) :]]
    return new(size, level._value.dtype)


@graph_operation("RaggedTensorToTensor", _padded_result)
def padded(x: Any, default_value: Any, shape: Any) -> Tensor:
    """Returns the rows of a ragged tensor as a tensor; see `RaggedTensor.to_tensor`."""
    found, size = places(x)
    inner = shape_of(x.flat_values)[1:]
    if shape is not None:
        wish = as_shape(shape).as_list()
        if len(wish) != len(size) + len(inner):
            raise invalid(
                f"RaggedTensor.to_tensor: the rank of the shape {wish} differs from that of "
                f"{x.shape}"
            )
        wish = wish[: len(size)]
        wish += [None] * (len(size) - len(wish))
        size = [n if w is None else w for n, w in zip(size, wish, strict=True)]
    kept = np.flatnonzero((found < np.array(size)[:, None]).all(0))
    empty: Any = b"" if x.dtype is string else 0
    fill = convert_to_tensor(empty if default_value is None else default_value, x.dtype)
    if len(shape_of(fill)) > len(inner):
        raise invalid(
            f"default_value.shape={shown_shape(shape_of(fill))} and rt_input.flat_values.shape="
            f"{shown_shape(shape_of(x.flat_values))} are incompatible: default_value.rank = "
            f"{len(shape_of(fill))} must be less than rt_input.flat_values.rank = {len(inner) + 1} "
            "[Op:RaggedTensorToTensor]"
        )
    table = broadcast_to_p(fill, shape=(count(size), *inner))
    rows = Tensor(np.ravel_multi_index(tuple(found[:, kept]), size))
    values = gather_p(x.flat_values, Tensor(kept), axis=0, batch_dims=0)
    return reshape_p(put_rows_p(table, rows, values), shape=(*size, *inner))


def _sparse_result(new: New, x: Any) -> tuple[Tensor, Tensor, Tensor]:
    inner = shape_of(x.flat_values)
    rank = x.ragged_rank + len(inner)
    n = count(inner) if all(type(size) is int for size in inner) else None
    return new([n, rank], int64), new([n], x.dtype), new([rank], int64)


@graph_operation("RaggedTensorToSparse", _sparse_result)
def sparse_parts(x: Any) -> tuple[Tensor, Tensor, Tensor]:
    """Returns the indices, values and shape of the sparse tensor for a ragged tensor."""
    found, size = places(x)
    inner = shape_of(x.flat_values)[1:]
    rows, each = found.shape[1], count(inner)
    inside = np.indices(inner).reshape(len(inner), each)
    indices = np.concatenate([np.repeat(found, each, 1), np.tile(inside, (1, rows))])
    values = reshape_p(x.flat_values, shape=(rows * each,))
    return (
        Tensor(np.ascontiguousarray(indices.T, np.int64)),
        values,
        Tensor(np.array([*size, *inner], np.int64)),
    )


def _rows_of_sparse(new: New, x: Any, dtype: Any) -> tuple[Tensor, Tensor]:
    rows = x.shape.as_list()[0]
    return new(x.values._value.shape, x.dtype), new([None if rows is None else rows + 1], dtype)


@graph_operation("ConcatV2", _rows_of_sparse)
def rows_of_sparse(x: Any, dtype: Any) -> tuple[Tensor, Tensor]:
    """Returns the values of a sparse matrix and the starts of its rows.

    Raises:
      InvalidArgumentError: A row does not fill its first columns.
    """
    rows, columns = np.asarray(x.indices._value).T
    height = int(np.asarray(x.dense_shape._value)[0])
    splits = np.searchsorted(rows, np.arange(height + 1))
    within = np.arange(len(rows)) - splits[rows] if len(rows) else columns
    if (columns != within).any() or (np.diff(rows) < 0).any():
        raise invalid(
            "SparseTensor is not right-ragged: RaggedTensor.from_sparse needs a matrix whose rows "
            "fill their first columns, in order (see tf.sparse.reorder)",
            About.VALUES,
        )
    return x.values, Tensor(splits.astype(dtype.np_dtype))


def cut_rows(
    x: Tensor, axis: int, lengths: Any, padding: Any
) -> tuple[Tensor, np.ndarray[Any, Any]]:
    """Returns the concatenated rows along an axis, and their lengths.

    Args:
      x: A tensor.
      axis: The axis along which rows are truncated.
      lengths: The length of each row that is kept, or None.
      padding: The padding value at the ends of rows, or None.

    Raises:
      ValueError: The number of lengths, or the shape of the padding value, does not match.
    """
    *lead, n = shape_of(x)[: axis + 1]
    rows, rest = count(lead), shape_of(x)[axis + 1 :]
    flat = reshape_p(x, shape=(rows * n, *rest))
    kept = np.full(rows, n)
    if padding is not None:
        fill = np.asarray(convert_to_tensor(padding, x.dtype)._numpy())
        if fill.shape != tuple(rest):
            raise ValueError(
                f"RaggedTensor.from_tensor: padding must have the shape of an element, {rest}, got "
                f"{fill.shape}"
            )
        is_value = np.asarray(x._value).reshape(rows, n, *rest) != fill
        is_value = is_value.reshape(rows, n, count(rest)).any(-1)
        kept = np.where(is_value.any(1), n - np.argmax(is_value[:, ::-1], 1), 0)
    elif lengths is not None:
        given = np.asarray(convert_to_tensor(lengths, dtype_hint=int64)._numpy())
        if given.size != rows:
            raise ValueError(
                f"RaggedTensor.from_tensor: there are {rows} rows, but {given.size} lengths"
            )
        kept = np.clip(given.reshape(-1), 0, n)
    if (kept < n).any():
        within = np.flatnonzero((np.arange(n) < kept[:, None]).reshape(-1))
        flat = gather_p(flat, Tensor(within), axis=0, batch_dims=0)
    return flat, kept
