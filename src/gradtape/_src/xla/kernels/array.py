"""What XLA computes for operations that reduce, move, pick and put; this module needs JAX."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from gradtape._src.base.dtypes import as_dtype
from gradtape._src.declare.xla_kernels import wide

Kernel = Callable[..., Any]
Axes = tuple[int, ...]

# Reductions.


@wide
def _sum(x: Any, *, axis: Axes, keepdims: bool) -> Any:
    return jnp.sum(x, axis, x.dtype, keepdims=keepdims)


def _mean(x: Any, *, axis: Axes, keepdims: bool) -> Any:
    if x.dtype.kind in "iu":
        wide = np.dtype(np.int64 if x.dtype.kind == "i" else np.uint64)
        total = jnp.sum(x, axis, wide, keepdims=keepdims)
        n = total.dtype.type(max(np.prod([x.shape[a] for a in axis], dtype=np.int64), 1))
        return lax.div(total, jnp.full_like(total, n)).astype(x.dtype)
    return jnp.mean(x, axis, keepdims=keepdims).astype(x.dtype)


def _extreme(reduce: Any, worst: Any) -> Kernel:
    def run(x: Any, *, axis: Axes, keepdims: bool) -> Any:
        start = worst(x.dtype)
        return reduce(x, axis, keepdims=keepdims, initial=start).astype(x.dtype)

    return run


def _lowest(dtype: Any) -> Any:
    return dtype.type(np.iinfo(dtype).min if dtype.kind in "iu" else -np.inf)


def _highest(dtype: Any) -> Any:
    return dtype.type(np.iinfo(dtype).max if dtype.kind in "iu" else np.inf)


def _shares(x: Any, out: Any, *, axis: Axes) -> Any:
    hit = (x == out).astype(x.dtype)
    return hit / jnp.sum(hit, axis, keepdims=True)


def _top(x: Any, axis: Axes) -> Any:
    top = jnp.max(x, axis, keepdims=True, initial=-np.inf)
    return jnp.where(jnp.isfinite(top), top, jnp.zeros_like(top))


@wide
def _logsumexp(x: Any, *, axis: Axes, keepdims: bool) -> Any:
    top = _top(x, axis)
    out = jnp.log(jnp.sum(jnp.exp(x - top), axis, keepdims=True)) + top
    return out if keepdims else jnp.squeeze(out, axis)


@wide
def _shares_of_sum(x: Any, *, axis: Axes) -> Any:
    powers = jnp.exp(x - _top(x, axis))
    return powers / jnp.sum(powers, axis, keepdims=True)


@wide
def _norm(x: Any, *, axis: Axes, keepdims: bool) -> Any:
    squares = jnp.real(x * jnp.conj(x)) if x.dtype.kind == "c" else jnp.square(x)
    return jnp.sqrt(jnp.sum(squares, axis, keepdims=keepdims)).astype(x.dtype)


def _arg(best: Any, worst: float) -> Kernel:
    def find(x: Any, *, axis: int, dtype: Any) -> Any:
        if x.dtype.kind == "f":
            x = jnp.where(jnp.isnan(x), x.dtype.type(worst), x)
        return best(x, axis).astype(dtype)

    return find


def _zero_fraction(x: Any) -> Any:
    return jnp.mean((x == 0).astype(np.float32))


# Running totals.


def _ahead(x: Any, fill: Any, axis: int) -> Any:
    """`x` moved on by one place, beginning with `fill`."""
    n = x.shape[axis]
    first = jnp.full_like(lax.slice_in_dim(x, 0, min(1, n), axis=axis), fill)
    return jnp.concatenate([first, lax.slice_in_dim(x, 0, max(n - 1, 0), axis=axis)], axis)


def _running(scan: Any, start: Any) -> Kernel:
    def run(x: Any, *, axis: int, exclusive: bool = False, reverse: bool = False) -> Any:
        place = axis % x.ndim
        if exclusive:
            x = jnp.flip(x, place) if reverse else x
            x = _ahead(x, start, place)
            x = jnp.flip(x, place) if reverse else x
        return scan(x, axis=place, reverse=reverse)

    return run


def _recurrence(a: Any, b: Any, *, axis: int, reverse: bool) -> Any:
    a, b = jnp.broadcast_arrays(a, b)

    def join(left: Any, right: Any) -> Any:
        return left[0] * right[0], left[1] * right[0] + right[1]

    return lax.associative_scan(join, (a, b), axis=axis % a.ndim, reverse=reverse)[1]


@wide
def _peaks(x: Any, *, axis: int, reverse: bool) -> tuple[Any, Any]:
    peak = lax.cummax(x, axis=axis % x.ndim, reverse=reverse)
    peak = jnp.where(jnp.isfinite(peak), peak, jnp.zeros_like(peak))
    return peak, jnp.exp(jnp.minimum(_shift(peak, axis=axis, reverse=reverse) - peak, 0))


@wide
def _cumulative_logsumexp(x: Any, *, axis: int, reverse: bool) -> Any:
    if not x.shape[axis]:
        return x
    peak, fall = _peaks(x, axis=axis, reverse=reverse)
    return jnp.log(_recurrence(fall, jnp.exp(x - peak), axis=axis, reverse=reverse)) + peak


def _shift(x: Any, *, axis: int, reverse: bool) -> Any:
    x = jnp.flip(x, axis) if reverse else x
    out = _ahead(x, 0, axis % x.ndim)
    return jnp.flip(out, axis) if reverse else out


# Shapes.


def _slice(x: Any, *, begin: Axes, end: Axes) -> Any:
    return x[tuple(slice(b, e) for b, e in zip(begin, end, strict=True))]


def _pad(x: Any, *, before: Axes, after: Axes) -> Any:
    return _pad_value(x, x.dtype.type(0), before=before, after=after)


def _pad_value(x: Any, value: Any, *, before: Axes, after: Axes) -> Any:
    return lax.pad(
        x, jnp.asarray(value, x.dtype), [(b, a, 0) for b, a in zip(before, after, strict=True)]
    )


def _split(x: Any, *, lengths: Axes, axis: int) -> tuple[Any, ...]:
    return tuple(jnp.split(x, np.cumsum(lengths)[:-1].tolist(), axis))


def _one_hot(indices: Any, on: Any, off: Any, *, depth: int, axis: int) -> Any:
    places = np.arange(depth, dtype=np.int32).reshape(depth, *(1,) * (-1 - axis))
    return jnp.where(jnp.expand_dims(indices, axis) == places, on, off)


def _scatter_slice(g: Any, *, key: Any, shape: Axes) -> Any:
    return jnp.zeros(shape, g.dtype).at[key].set(g)


# Rows.


def _gather(params: Any, indices: Any, *, axis: int, batch_dims: int) -> Any:
    if not batch_dims:
        return jnp.take(params, indices, axis=axis, mode="clip")

    def run(p: Any, i: Any) -> Any:
        return jnp.take(p, i, axis=axis - batch_dims, mode="clip")

    for _ in range(batch_dims):
        run = jax.vmap(run)
    return run(params, indices)


def _dropped(indices: Any, count: int) -> Any:
    """Indices with the negative ones, which are to be left out, moved beyond the end."""
    return jnp.where(indices < 0, count, indices)


def _add_rows(values: Any, indices: Any, *, count: int) -> Any:
    out = jnp.zeros((count, *values.shape[np.ndim(indices) :]), values.dtype)
    return out.at[_dropped(indices, count)].add(values, mode="drop")


def _offset(indices: Any, *, count: int) -> Any:
    base = (np.arange(indices.shape[-2]) * count).astype(indices.dtype)[:, None]
    return jnp.where(indices < 0, -1, indices + base).astype(indices.dtype)


def _rows_or_zero(table: Any, indices: Any) -> Any:
    if not table.shape[0]:
        return jnp.zeros((*indices.shape, *table.shape[1:]), table.dtype)
    return jnp.take(table, _dropped(indices, table.shape[0]), axis=0, mode="fill", fill_value=0)


def _ravel(indices: Any, *, shape: Axes, op: str) -> Any:
    strides = [int(np.prod(shape[i + 1 :], dtype=np.int64)) for i in range(len(shape))]
    return jnp.sum(indices.astype(np.int64) * np.array(strides, np.int64), -1)


def _put(x: Any, rows: Any, updates: Any) -> Any:
    return jnp.asarray(x).at[rows].set(updates)


def _segments(name: str, start: Any) -> Kernel:
    def run(x: Any, ids: Any, *, n: int, empty: float | None) -> Any:
        at = _dropped(ids, n)
        out = jnp.full((n, *x.shape[1:]), start(x.dtype), x.dtype)
        out = getattr(out.at[at], name)(x, mode="drop")
        if empty is not None:
            seen = jnp.zeros(n, np.bool_).at[at].set(True, mode="drop")
            seen = seen.reshape(n, *(1,) * (x.ndim - 1))
            out = jnp.where(seen, out, x.dtype.type(empty))
        return out

    return run


def _others(x: Any, ids: Any, *, n: int) -> Any:
    """The product of the other rows of each row's segment, from one comparison of all pairs."""
    same = (ids[:, None] == ids[None, :]) & ~np.eye(x.shape[0], dtype=np.bool_)
    same = same.reshape(*same.shape, *(1,) * (x.ndim - 1))
    out = jnp.prod(jnp.where(same, x[None], x.dtype.type(1)), axis=1).astype(x.dtype)
    kept = (ids >= 0).reshape(-1, *(1,) * (x.ndim - 1))
    return jnp.where(kept, out, jnp.zeros_like(out))


def _order(x: Any, *, k: int, descending: bool, dtype: Any) -> Any:
    return jnp.argsort(x, -1, stable=True, descending=descending)[..., :k].astype(dtype)


def _search(sequence: Any, values: Any, *, side: str, dtype: Any) -> Any:
    rows = sequence.reshape(-1, sequence.shape[-1])
    asked = values.reshape(-1, values.shape[-1])
    found = jax.vmap(lambda s, v: jnp.searchsorted(s, v, side=side))(rows, asked)
    return found.reshape(values.shape).astype(dtype)


def _stack(*xs: Any) -> Any:
    return jnp.stack(xs)


def _concat(*xs: Any, axis: int) -> Any:
    return jnp.concatenate(xs, axis)


def _unstack(x: Any) -> tuple[Any, ...]:
    return tuple(x[k] for k in range(x.shape[0]))


# Labels.


def _put_along(x: Any, labels: Any, change: Any) -> Any:
    """`x` with `change(where labels hit, x)`."""
    hit = labels[..., None] == np.arange(x.shape[-1], dtype=np.int32)
    return jnp.where(hit, change, x)


def _take_labels(x: Any, labels: Any) -> Any:
    return jnp.take_along_axis(x, labels[..., None], -1, mode="clip")[..., 0]


def _subtract_at(x: Any, v: Any, labels: Any) -> Any:
    return _put_along(x, labels, x - v[..., None])


def _put_labels(v: Any, labels: Any, *, depth: int) -> Any:
    return _put_along(jnp.zeros((*labels.shape, depth), v.dtype), labels, v[..., None])


def _sequence(axis: Sequence[int]) -> Any:
    return tuple(axis) if not isinstance(axis, int) else axis


KERNELS: dict[str, Kernel] = {
    "All": lambda x, *, axis, keepdims: jnp.all(x, axis, keepdims=keepdims),
    "Any": lambda x, *, axis, keepdims: jnp.any(x, axis, keepdims=keepdims),
    "ArgMax": _arg(jnp.argmax, -np.inf),
    "ArgMin": _arg(jnp.argmin, np.inf),
    "BroadcastTo": lambda x, *, shape: jnp.broadcast_to(x, shape),
    "ConcatV2": _concat,
    "CountNonzero": lambda x, *, axis, keepdims, dtype: jnp.sum(
        x != 0, axis, dtype=dtype, keepdims=keepdims
    ),
    "Cumprod": _running(lax.cumprod, 1),
    "Cumsum": _running(lax.cumsum, 0),
    "CumulativeLogsumexp": _cumulative_logsumexp,
    "EuclideanNorm": _norm,
    "GatherOrZero": _rows_or_zero,
    "GatherV2": _gather,
    "LinearRecurrence": _recurrence,
    "Max": _extreme(jnp.max, _lowest),
    "Mean": _mean,
    "Min": _extreme(jnp.min, _highest),
    "OffsetRows": _offset,
    "OneHot": _one_hot,
    "Order": _order,
    "Pack": _stack,
    "Pad": _pad,
    "PadV2": _pad_value,
    "Prod": wide(lambda x, *, axis, keepdims: jnp.prod(x, axis, x.dtype, keepdims=keepdims)),
    "PutLabels": _put_labels,
    "RavelIndices": _ravel,
    "ReduceLogSumExp": _logsumexp,
    "Reshape": lambda x, *, shape: jnp.reshape(x, shape),
    "ResourceGather": lambda params, indices: _gather(params, indices, axis=0, batch_dims=0),
    "ReverseV2": lambda x, *, axis: jnp.flip(x, _sequence(axis)),
    "RunningPeaks": _peaks,
    "Roll": lambda x, *, shift, axis: jnp.roll(x, shift, axis),
    "SearchSorted": _search,
    "SegmentOthers": _others,
    "Shift": _shift,
    "Slice": _slice,
    "SplitV": _split,
    "StridedSlice": lambda x, *, key: x[key],
    "StridedSliceGrad": _scatter_slice,
    "SubtractAtLabels": _subtract_at,
    "Sum": _sum,
    "TakeLabels": _take_labels,
    "TensorScatterMax": lambda x, rows, updates: jnp.asarray(x).at[rows].max(updates),
    "TensorScatterMin": lambda x, rows, updates: jnp.asarray(x).at[rows].min(updates),
    "TensorScatterUpdate": _put,
    "SoftmaxAlongAxes": _shares_of_sum,
    "TieShares": _shares,
    "Tile": lambda x, *, multiples: jnp.tile(x, multiples),
    "Transpose": lambda x, *, perm: jnp.transpose(x, perm),
    "Unpack": _unstack,
    "UnsortedSegmentMax": _segments("max", lambda dtype: dtype.type(as_dtype(dtype).min)),
    "UnsortedSegmentMin": _segments("min", lambda dtype: dtype.type(as_dtype(dtype).max)),
    "UnsortedSegmentProd": _segments("multiply", lambda dtype: dtype.type(1)),
    "UnsortedSegmentSum": _add_rows,
    "ZeroFraction": _zero_fraction,
}
