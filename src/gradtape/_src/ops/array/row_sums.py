"""Sums of rows with equal indices, and conversion of `IndexedSlices` gradients to dense tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import DType
from gradtape._src.base.indexed_slices import IndexedSlices
from gradtape._src.compute.axis_sums import repeated
from gradtape._src.compute.jax_modules import jnp
from gradtape._src.core.convert import register_converter, tensor
from gradtape._src.core.primitive import Bound
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.general import general, shape_of
from gradtape._src.declare.graph_operations import has_symbols
from gradtape._src.declare.lengths_of_values import extents
from gradtape._src.declare.structural import (
    Value,
    concat_p,
    count,
    reshape_p,
    transpose_p,
    with_axis,
)
from gradtape._src.declare.traits import Pattern, Traits
from gradtape._src.declare.xla_kernels import dropped


def _add_rows(values: Any, indices: Any, *, count: int) -> Any:
    out = np.zeros((count, *values.shape[np.ndim(indices) :]), values.dtype)
    keep = indices >= 0
    if not np.all(keep):
        values, indices = values[keep], indices[keep]
    fold_rows(np.add, out, indices, values)
    return out


def _add_rows_xla(values: Any, indices: Any, *, count: int) -> Any:
    out = jnp.zeros((count, *values.shape[np.ndim(indices) :]), values.dtype)
    return out.at[dropped(indices, count)].add(values, mode="drop")


def fold_rows(ufunc: np.ufunc, table: Any, indices: Any, values: Any) -> None:
    """Computes `ufunc.at(table, indices, values)`, many times faster for wide rows.

    Args:
      ufunc: The function that combines a row with a value.
      table: The rows, changed in place.
      indices: An array of row indices, of any shape. A row that occurs several times is combined
        with each of its values.
      values: One row for each element of `indices`.
    """
    flat = np.reshape(indices, -1)
    if table.ndim < 2 or flat.size < _FEW or values.shape[: np.ndim(indices)] != indices.shape:
        ufunc.at(table, indices, values)
        return
    values = values.reshape(flat.size, *table.shape[1:])
    order = np.argsort(flat, kind="stable")
    placed = flat[order]
    first = np.empty(flat.size, bool)
    first[0] = True
    np.not_equal(placed[1:], placed[:-1], first[1:])
    several = flat.size - np.count_nonzero(first)
    if several < flat.size // 8:
        before = table.take(flat, 0)
        table[flat] = ufunc(before, values)
        if several:  # Repeated rows are combined separately.
            again = ~first
            again[:-1] |= again[1:]
            chosen, heads = order[again], order[again & first]
            table[flat[heads]] = before[heads]
            ufunc.at(table, flat[chosen], values[chosen])
        return
    starts = np.flatnonzero(first)
    turn = np.arange(flat.size) - repeated(starts, np.diff(starts, append=flat.size))
    turns = int(turn.max()) + 1
    if turns > _FEW // 2:
        rows = placed[starts]
        joint = _JOINT.get(ufunc, ufunc).reduceat(values[order], starts)
        table[rows] = ufunc(table[rows], joint)
        return
    for k in range(turns):  # First combine each row once, then the repeated rows.
        chosen = order[turn == k]
        rows = flat[chosen]
        table[rows] = ufunc(table[rows], values[chosen])


_FEW = 16


# Combines two values for one row.
_JOINT: dict[Any, Any] = {np.subtract: np.add, np.divide: np.multiply}


def _offset(indices: Any, *, count: int) -> Any:
    base = (np.arange(indices.shape[-2]) * count).astype(indices.dtype)[:, None]
    return np.where(indices < 0, -1, indices + base).astype(indices.dtype)


def _offset_xla(indices: Any, *, count: int) -> Any:
    base = (np.arange(indices.shape[-2]) * count).astype(indices.dtype)[:, None]
    return jnp.where(indices < 0, -1, indices + base).astype(indices.dtype)


offset_p = general("OffsetRows", _offset, batching="leading", xla=_offset_xla)
"""Converts row indices (size, k) of several tables to those of one table; keeps -1."""


def in_one_table(
    size: int, run: Callable[..., Any], tables: Sequence[Any], indices: Any, values: Sequence[Any]
) -> Tensor:
    """Runs an operation on the rows of several tables as if they were one table.

    Args:
      size: The number of tables, which is the length of axis 0 of all inputs.
      run: The operation `(*tables, indices, *values) -> rows` on one table, with indices of rank 1.
      tables: Tables of shape (size, n, ...).
      indices: Row numbers, (size, k).
      values: Values of shape (size, k, ...).
    """
    n, k = shape_of(tables[0])[1], shape_of(indices)[1]
    flat = reshape_p(offset_p(indices, count=n), shape=(size * k,))
    joined = [reshape_p(t, shape=(size * n, *shape_of(t)[2:])) for t in tables]
    given = [reshape_p(v, shape=(size * k, *shape_of(v)[2:])) for v in values]
    out = run(*joined, flat, *given)
    return reshape_p(out, shape=(size, shape_of(out)[0] // size, *shape_of(out)[1:]))


def _add_rows_batch(size: int, batched: Any, inputs: Any, params: Any) -> Any:
    values, indices = inputs
    n = params["count"]
    if not batched[1]:
        lead = len(shape_of(indices))
        rank = len(shape_of(values))
        values = transpose_p(values, perm=(*range(1, lead + 1), 0, *range(lead + 1, rank)))
        out = add_rows_p(values, indices, count=n)
        return transpose_p(out, perm=(1, 0, *range(2, len(shape_of(out)))))
    values, indices = with_axis(size, batched, inputs)
    ahead = shape_of(indices)[1:]
    k, rest = count(ahead), shape_of(values)[1 + len(ahead) :]
    flat = offset_p(reshape_p(indices, shape=(size, k)), count=n)
    out = add_rows_p(
        reshape_p(values, shape=(size * k, *rest)),
        reshape_p(flat, shape=(size * k,)),
        count=size * n,
    )
    return reshape_p(out, shape=(size, n, *rest))


add_rows_p: Bound = general(
    "UnsortedSegmentSum",
    _add_rows,
    {"values": lambda g, indices: rows_or_zero_p(g, indices)},
    linear=["values"],
    batching=_add_rows_batch,
    xla=_add_rows_xla,
    traits=Traits(pattern=Pattern.ROWS_ADDED),
)


def _rows_or_zero(table: Any, indices: Any) -> Any:
    if not table.shape[0]:
        return np.zeros((*indices.shape, *table.shape[1:]), table.dtype)
    out = np.take(table, np.maximum(indices, 0), axis=0)
    dropped = indices < 0
    if np.any(dropped):
        out[dropped] = 0
    return out


def _rows_or_zero_xla(table: Any, indices: Any) -> Any:
    n = table.shape[0]
    if not n:
        return jnp.zeros((*indices.shape, *table.shape[1:]), table.dtype)
    return jnp.take(table, dropped(indices, n), axis=0, mode="fill", fill_value=0)


def _rows_or_zero_batch(size: int, batched: Any, inputs: Any, params: Any) -> Any:
    table, indices = with_axis(size, batched, inputs)
    lead = shape_of(indices)[1:]
    flat = reshape_p(indices, shape=(size, count(lead)))
    out = in_one_table(size, rows_or_zero_p, [table], flat, [])
    return reshape_p(out, shape=(size, *lead, *shape_of(table)[2:]))


rows_or_zero_p: Bound = general(
    "GatherOrZero",
    _rows_or_zero,
    {"table": lambda g, indices, table_shape: add_rows_p(g, indices, count=table_shape[0])},
    linear=["table"],
    batching=_rows_or_zero_batch,
    xla=_rows_or_zero_xla,
    traits=Traits(pattern=Pattern.MOVED, passes_on=True),
)
"""Takes rows of a table, with zeros for negative indices: the transpose of `add_rows_p`."""


def to_dense(g: IndexedSlices) -> Tensor:
    """Converts a gradient given as rows to a dense tensor."""
    indices = g.indices if hasattr(g.indices, "dtype") else tensor(g.indices)
    return add_rows_p(g.values, indices, count=_length(g.dense_shape))


def _length(dense_shape: Any) -> Any:
    """Returns the number of rows of the dense tensor, which may be known only when a graph runs."""
    if type(dense_shape) is Tensor and has_symbols(dense_shape):
        return extents(dense_shape, "IndexedSlices", "dense_shape")[0]
    return int(np.asarray(dense_shape)[0])


def _whole(rows: IndexedSlices, dtype: DType | None) -> Tensor:
    if rows.dense_shape is None:
        raise ValueError(
            f"Tensor conversion requested for IndexedSlices without dense_shape: {rows} (pass the "
            "shape of the dense tensor as `dense_shape`)"
        )
    return tensor(to_dense(rows))


register_converter(IndexedSlices, _whole)


def add_gradients(a: Any, b: Any) -> Value | IndexedSlices:
    """Adds two gradients of one tensor; if both are `IndexedSlices`, so is the sum."""
    rows_a, rows_b = type(a) is IndexedSlices, type(b) is IndexedSlices
    if rows_a and rows_b:
        return IndexedSlices(
            concat_p(b.values, a.values, axis=-len(shape_of(a.values))),
            concat_p(b.indices, a.indices, axis=-1),
            a.dense_shape,
        )
    return (to_dense(a) if rows_a else a) + (to_dense(b) if rows_b else b)
