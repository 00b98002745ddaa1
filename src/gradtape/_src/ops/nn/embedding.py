"""Lookups in tables of vectors: single rows, and sums or means of several rows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import dtype_of
from gradtape._src.base.errors import About, InvalidArgumentError
from gradtape._src.base.export import export
from gradtape._src.compute.axis_sums import repeated
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import invalid
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.open_graphs import with_fed_values
from gradtape._src.declare.structural import concat_p, reshape_p
from gradtape._src.ops.array.gather import gather_p, look_up_p
from gradtape._src.ops.array.row_sums import add_rows_p
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.elementwise.division import div_no_nan_p
from gradtape._src.ops.elementwise.powers import sqrt_p
from gradtape._src.ops.elementwise.selection import where
from gradtape._src.ops.nn.clipping_by_norm import clip_by_norm
from gradtape._src.ops.types.ragged_tensor import RaggedTensor
from gradtape._src.ops.types.sparse_tensor import SparseTensor


@export("nn.embedding_lookup")
def embedding_lookup(
    params: Any, ids: Any, max_norm: Any = None, name: str | None = None
) -> Tensor:
    """Looks up rows of a table.

    The gradient with respect to the table is `IndexedSlices` of these rows.

    Args:
      params: A tensor or variable of shape (n, ...), or a sequence of them, which are treated as
        one table. Their lengths are equal, except that the first ones may have one row more.
      ids: An integer tensor of row indices, which may be ragged.
      max_norm: The maximum norm of a row; rows with a greater norm are scaled down. None means no
        limit.
      name: Accepted for compatibility.

    Returns:
      A tensor of shape `ids.shape + params.shape[1:]`.

    Raises:
      ValueError: There is no table.
      InvalidArgumentError: An id is out of range, or the lengths of the tables are not compatible.

    >>> tf.nn.embedding_lookup([[1, 2], [3, 4], [5, 6]], [2, 0]).numpy()
    array([3, 1], dtype=int32)
    """
    if params is None:
        raise ValueError("params must be specified")
    if isinstance(params, (list, tuple)):
        if not params:
            raise ValueError("Length of params is currently 0. Need at least one tensor.")
        shards = [_table(p) for p in params]
    else:
        shards = [tensor(params)]
    if isinstance(ids, RaggedTensor):
        flat = embedding_lookup(params, ids.flat_values, max_norm)
        return ids.with_flat_values(flat)  # type: ignore[return-value]
    ids = tensor(ids)
    if not dtype_of(ids._value).is_integer:
        raise invalid(
            f"Value for attr 'Tindices' of {ids.dtype.name} is not in the list of allowed values: "
            "int32, int64 [Op:GatherV2] (tf.cast the ids)",
            About.DTYPES,
        )
    rows = look_up_p(shards[0], ids) if len(shards) == 1 else _of_shards(shards, ids)
    if max_norm is None:
        return rows
    first = len(shape_of(ids))
    return clip_by_norm(rows, max_norm, axes=list(range(first, len(shape_of(rows)))))


def _table(params: Any) -> Tensor:
    return tensor(params)


def first_rows(total: int, tables: int) -> list[int]:
    """Returns the number of each table's first row; the first tables may have one row more."""
    each, longer = divmod(total, tables)
    return [i * each + min(i, longer) for i in range(tables)]


def _of_shards(shards: list[Tensor], ids: Tensor) -> Any:
    """Looks up rows of several tables; the gradient of each table is `IndexedSlices`."""
    rank = len(shape_of(shards[0]))
    if not isinstance(ids._value, (np.ndarray, np.generic)):  # The ids are traced or vectorized.
        return look_up_p(concat_p(*shards, axis=-rank), ids)
    flat = np.reshape(ids._value, -1)
    total, n = sum(shape_of(shard)[0] for shard in shards), len(shards)
    bad = (flat < 0) | (flat >= total)
    if bad.any():
        raise InvalidArgumentError(
            None,
            None,
            f"ids[{int(np.argmax(bad))}] = {flat[np.argmax(bad)]} is not in [0, {total}) "
            "[Op:GatherV2] (the rows of all tables are counted together)",
        )
    starts = np.array(first_rows(total, n), flat.dtype)
    owner = np.searchsorted(starts, flat, "right") - 1
    places = [np.flatnonzero(owner == i) for i in range(n)]
    parts = [
        look_up_p(shard, Tensor(flat[place] - start))
        for shard, place, start in zip(shards, places, starts, strict=True)
    ]
    back = np.argsort(np.concatenate(places), kind="stable").reshape(shape_of(ids))
    joined = concat_p(*parts, axis=-rank)
    return gather_p(joined, Tensor(back), axis=0, batch_dims=0)


_COMBINERS = ("mean", "sqrtn", "sum")


def _combiner(combiner: str | None) -> str:
    if combiner is None:
        return "mean"
    if combiner not in _COMBINERS:
        raise ValueError(f"combiner must be one of 'mean', 'sqrtn' or 'sum', got {combiner}")
    return combiner


def _rows(ids: Any) -> tuple[np.ndarray[Any, Any], int]:
    """Returns the row of each id, and the number of rows."""
    if isinstance(ids, RaggedTensor):
        splits = np.asarray(ids.row_splits._numpy())
        return repeated(np.arange(len(splits) - 1), np.diff(splits)), len(splits) - 1
    rows = np.asarray(ids.indices._numpy())[:, 0]
    return rows, int(rows[-1]) + 1 if len(rows) else 0


def _elements(x: Any) -> Tensor:
    elements: Tensor = x.flat_values if isinstance(x, RaggedTensor) else x.values
    return elements


@export("nn.embedding_lookup_sparse")
def embedding_lookup_sparse(
    params: Any,
    sp_ids: Any,
    sp_weights: Any,
    combiner: str | None = None,
    max_norm: Any = None,
    name: str | None = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    """Returns the sum or mean of a table's rows for each row of ids.

    Args:
      params: A tensor or variable of shape (n, ...), or a sequence of them, which are treated as
        one table.
      sp_ids: A SparseTensor of shape (rows, k), or a RaggedTensor, of row indices.
      sp_weights: None, or the weights of the ids, at the same indices.
      combiner: "sum"; "mean" (the default), the sum divided by the sum of the weights; or "sqrtn",
        the sum divided by the square root of the sum of the squared weights.
      max_norm: The largest norm of a row; longer rows are scaled down to it.
      name: Accepted for compatibility.
      allow_fast_lookup: Accepted for compatibility.

    Returns:
      A tensor of shape (rows, ...), up to the last row that has an id. Rows without ids are zero.

    Raises:
      TypeError: The ids or weights are not sparse, or only one of the two is ragged.
      ValueError: `combiner` is unknown.
      InvalidArgumentError: An id is out of range.
    """
    kind = _combiner(combiner)
    if not isinstance(sp_ids, (SparseTensor, RaggedTensor)):
        raise TypeError(f"sp_ids must be SparseTensor, got {type(sp_ids)}")
    if sp_weights is not None and type(sp_weights) is not type(sp_ids):
        raise TypeError(
            f"sp_weights must be either None or {type(sp_ids).__name__},got {type(sp_weights)}"
        )
    ids = _elements(sp_ids)
    if isinstance(ids._value, (np.ndarray, np.generic)):
        unique, places = np.unique(ids._value, return_inverse=True)
        table = embedding_lookup(params, Tensor(unique), max_norm)
        found = gather_p(table, Tensor(places.reshape(-1)), axis=0, batch_dims=0)
    else:  # The ids are traced: the gradient of the table has a row for each.
        found = embedding_lookup(params, ids, max_norm)
    return _combined(found, sp_ids, sp_weights, kind)


@with_fed_values
def _combined(found: Any, sp_ids: Any, sp_weights: Any, kind: str) -> Tensor:
    """Returns the sum or mean of the rows that were found, for each row of ids."""
    rows, count = _rows(sp_ids)
    weights = None
    if sp_weights is not None:
        weights = cast(_elements(sp_weights), found.dtype)
        shape = (*shape_of(weights), *(1,) * (len(shape_of(found)) - 1))
        weights = reshape_p(weights, shape=shape)
        found = found * weights
    total = add_rows_p(found, Tensor(rows), count=count)
    if kind == "sum":
        return total
    if weights is None:
        weights = Tensor(
            np.ones((len(rows), *(1,) * (len(shape_of(found)) - 1)), found._value.dtype)
        )
    if kind == "mean":
        return div_no_nan_p(total, add_rows_p(weights, Tensor(rows), count=count))
    squares = add_rows_p(weights * weights, Tensor(rows), count=count)
    return div_no_nan_p(total, sqrt_p(squares))


@export("nn.safe_embedding_lookup_sparse")
@with_fed_values
def safe_embedding_lookup_sparse(
    embedding_weights: Any,
    sparse_ids: Any,
    sparse_weights: Any = None,
    combiner: str = "mean",
    default_id: Any = None,
    max_norm: Any = None,
    name: str | None = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    """Computes `embedding_lookup_sparse` without invalid ids, with a result for every row.

    Negative ids are ignored. Unless `combiner` is "sum", so are ids whose weight is not positive.
    The result for a row without ids is the table's row `default_id`, or zeros.

    Args:
      embedding_weights: The table, as for `embedding_lookup_sparse`.
      sparse_ids: A SparseTensor of shape (..., k) of row indices.
      sparse_weights: None, or a SparseTensor of weights at the same indices.
      combiner: "sum", "mean" or "sqrtn".
      default_id: The id for rows without ids.
      max_norm: The largest norm of a row; longer rows are scaled down to it.
      name: Accepted for compatibility.
      allow_fast_lookup: Accepted for compatibility.

    Returns:
      A tensor of shape `sparse_ids.shape[:-1] + embedding_weights.shape[1:]`.

    Raises:
      ValueError: There is no table, or `combiner` is unknown.
      InvalidArgumentError: An id is out of range.
    """
    if embedding_weights is None or (
        isinstance(embedding_weights, (list, tuple)) and not embedding_weights
    ):
        raise ValueError(f"Missing embedding_weights {embedding_weights}.")
    kind = _combiner(combiner)
    lead = tuple(int(n) for n in np.asarray(sparse_ids.dense_shape._numpy()))[:-1]
    places = np.asarray(sparse_ids.indices._numpy())[:, :-1]
    rows = np.ravel_multi_index(tuple(places.T), lead) if len(places) else np.zeros(0, np.int64)
    ids = np.asarray(sparse_ids.values._numpy())
    weights = None if sparse_weights is None else sparse_weights.values
    good = ids >= 0
    if weights is not None and kind != "sum":
        good &= np.asarray(weights._numpy()) > 0
    kept = np.flatnonzero(good)
    count = math.prod(lead)
    empty = np.setdiff1d(np.arange(count), rows[kept])
    order = np.argsort(np.concatenate([rows[kept], empty]), kind="stable")
    filler = np.full(len(empty), 0 if default_id is None else int(default_id), ids.dtype)
    at = np.concatenate([rows[kept], empty])[order].astype(np.int64)
    shape = np.array([count, max(len(at), 1)], np.int64)
    indices = np.stack([at, np.arange(len(at))], -1)
    all_ids = SparseTensor(indices, np.concatenate([ids[kept], filler])[order], shape)
    all_weights = None
    if weights is not None:
        own = np.asarray(weights._numpy())[kept]
        ones = np.ones(len(empty), own.dtype)
        all_weights = SparseTensor(indices, np.concatenate([own, ones])[order], shape)
    out = embedding_lookup_sparse(embedding_weights, all_ids, all_weights, kind, max_norm)
    if default_id is None and len(empty):
        hole = np.zeros((count, *(1,) * (len(shape_of(out)) - 1)), bool)
        hole[empty] = True
        out = where(Tensor(hole), convert_to_tensor(0, out.dtype), out)
    return reshape_p(out, shape=(*lead, *shape_of(out)[1:]))
