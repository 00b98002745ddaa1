"""`tf.gather` from ragged tensors and with ragged indices."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradtape._src.base.dispatch import implements
from gradtape._src.base.dtypes import int64
from gradtape._src.base.errors import About
from gradtape._src.compute.axis_sums import repeated
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import invalid
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.open_graphs import with_fed_values
from gradtape._src.declare.structural import count, reshape_p
from gradtape._src.ops.array import gather as dense
from gradtape._src.ops.array import scatter, shaping
from gradtape._src.ops.array.gather import gather_p
from gradtape._src.ops.ragged.construction import as_ragged, take_rows
from gradtape._src.ops.types.ragged_tensor import RaggedTensor


@implements(dense.gather, {"params": RaggedTensor}, {"indices": RaggedTensor})
@with_fed_values
def _gather(
    params: Any,
    indices: Any,
    validate_indices: Any = None,
    axis: Any = None,
    batch_dims: int = 0,
    name: str | None = None,
) -> Any:
    if not isinstance(params, RaggedTensor):
        return _gather_from(params, indices, axis, batch_dims)
    if axis not in (None, 0) or batch_dims:
        return _gather_along_rows(params, indices, axis, batch_dims)
    if isinstance(indices, RaggedTensor):
        return indices.with_flat_values(dense.gather(params, indices.flat_values))
    return _gather_rows(params, indices)


@implements(scatter.gather_nd, {"params": RaggedTensor}, {"indices": RaggedTensor})
@with_fed_values
def _gather_nd(
    params: Any,
    indices: Any,
    batch_dims: int = 0,
    name: str | None = None,
    bad_indices_policy: str = "",
) -> Any:
    if batch_dims:
        raise ValueError(
            f"gather_nd of ragged tensors takes batch_dims=0, not {batch_dims}: use tf.gather"
        )
    if isinstance(indices, RaggedTensor):
        found = scatter.gather_nd(params, indices.flat_values)
        return indices.with_flat_values(found)
    places = np.asarray(convert_to_tensor(indices, dtype_hint=int64)._numpy())
    if not places.ndim or not places.shape[-1]:
        raise ValueError("gather_nd of ragged tensors: the last axis of indices must not be empty")
    level, at = params, places[..., 0]
    for k in range(1, places.shape[-1]):
        if not isinstance(level, RaggedTensor):
            rest = np.concatenate([at[..., None], places[..., k:]], -1)
            return scatter.gather_nd(level, rest)
        _check_places(at, level._height(), "GatherNd")
        splits = level._splits()
        outside = (places[..., k] < 0) | (places[..., k] >= np.diff(splits)[at])
        if outside.any():
            bad = places[outside][0].tolist()
            raise invalid(
                f"indices = {bad} does not index into the ragged param [Op:GatherNd]", About.VALUES
            )
        level, at = level.values, splits[at] + places[..., k]
    return dense.gather(level, Tensor(at))


def _gather_rows(x: RaggedTensor, indices: Any) -> Any:
    """Returns the rows with the given indices."""
    places = np.asarray(convert_to_tensor(indices, dtype_hint=int64)._numpy())
    splits = np.asarray(x.row_splits._value)
    _check_places(places, len(splits) - 1, "RaggedGather")
    rows = places.reshape(-1)
    lengths = splits[rows + 1] - splits[rows]
    first = splits[rows] - np.cumsum(lengths) + lengths
    inner = repeated(first, lengths) + np.arange(int(lengths.sum()))
    taken = dense.gather(x.values, Tensor(inner))
    if not places.ndim:
        return taken
    out = RaggedTensor.from_row_lengths(taken, lengths)
    for k in range(places.ndim - 1, 0, -1):
        out = RaggedTensor.from_row_lengths(
            out, np.full(count(places.shape[:k]), places.shape[k], splits.dtype)
        )
    return out


def _gather_from(params: Any, rows: RaggedTensor, axis: Any, batch_dims: int) -> Any:
    """Returns the elements of a tensor at ragged indices, as a ragged tensor with the same rows."""
    x = convert_to_tensor(params)
    if batch_dims:
        return _gather_along_rows(x, rows, axis, batch_dims)
    shape = shape_of(x)
    at = 0 if axis is None else int(axis) + (len(shape) if axis < 0 else 0)
    if not 0 <= at < len(shape):
        raise ValueError(f"tf.gather takes an axis of the tensor's {len(shape)}; got {axis}")
    places = np.asarray(rows.flat_values._value)
    lead, n = shape[:at], shape[at]
    _check_places(places, n, "GatherV2")
    parts = count(lead)
    starts = (np.arange(parts) * n)[:, None]
    flat = reshape_p(x, shape=(parts * n, *shape[at + 1 :]))
    values = gather_p(flat, Tensor((starts + places).reshape(-1)), axis=0, batch_dims=0)
    if not at:
        return rows.with_flat_values(values)
    splits = rows.row_splits._value.dtype
    out = _repeated(rows, parts, values)
    for k in range(at, 0, -1):
        n = rows._height() if k == at else lead[k]
        out = RaggedTensor.from_row_lengths(out, np.full(count(lead[:k]), n, splits))
    return out


def _repeated(x: RaggedTensor, times: int, flat_values: Any) -> RaggedTensor:
    """Repeats all rows of a ragged tensor, with other innermost values."""
    inner = x.values
    if isinstance(inner, RaggedTensor):
        flat_values = _repeated(inner, times, flat_values)
    return RaggedTensor.from_row_lengths(flat_values, np.tile(np.diff(x._splits()), times))


def _check_places(places: np.ndarray[Any, Any], n: int, op: str) -> None:
    wrong = (places < 0) | (places >= n)
    if wrong.any():
        bad = int(np.flatnonzero(wrong)[0])
        raise invalid(
            f"indices[{bad}] = {places.reshape(-1)[bad]} is not in [0, {n}) [Op:{op}]", About.VALUES
        )


def _gather_along_rows(params: Any, indices: Any, axis: Any, batch_dims: int) -> Any:
    """Returns elements of each row, by indices for each row or common indices for all rows."""
    if batch_dims not in (0, 1) or axis not in (None, 1):
        raise ValueError(
            f"tf.gather from ragged rows or by ragged indices takes axis=0, axis=1, or "
            f"batch_dims=1; got axis={axis}, batch_dims={batch_dims}"
        )
    x = as_ragged(params)
    splits, n = x._splits(), x._height()
    own: Any = indices if isinstance(indices, RaggedTensor) else tensor(indices)
    ragged = isinstance(own, RaggedTensor)
    if not batch_dims and not ragged:
        own = Tensor(np.broadcast_to(own._value, (n, *shape_of(own))))
    if not batch_dims and ragged:
        raise ValueError("tf.gather along axis 1 of ragged rows needs a dense tensor of indices")
    if len(own.shape) < 2 or (own._height() if ragged else shape_of(own)[0]) != n:
        raise invalid(f"gather: indices of shape {own.shape} must have a row for each of {n} rows")
    places = np.asarray(own.flat_values._value if ragged else own._value)
    row = own._places()[0][0] if ragged else np.arange(n)
    row = np.broadcast_to(row.reshape(-1, *[1] * (places.ndim - 1)), places.shape)
    wrong = np.argwhere((places < 0) | (places >= np.diff(splits)[row]))
    if len(wrong):
        at = tuple(wrong[0])
        raise invalid(
            f"gather: index {places[at]} is out of range for row {row[at]} of params, of length "
            f"{np.diff(splits)[row[at]]}",
            About.VALUES,
        )
    found = splits[row] + places
    if ragged and found.ndim == 1:
        return own.with_flat_values(take_rows(x.values, found))
    values = take_rows(x.values, found.reshape(-1))
    if not ragged and not isinstance(values, RaggedTensor):
        return shaping.reshape(values, (*found.shape, *shape_of(values)[1:]))
    for k in range(found.ndim - 1, 0, -1):
        lengths = np.full(math.prod(found.shape[:k]), found.shape[k], splits.dtype)
        values = RaggedTensor.from_row_lengths(values, lengths)
    return own.with_flat_values(values) if ragged else values
