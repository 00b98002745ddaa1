"""Cumulative sums and products, and the linear recurrence of their derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape._src.base.export import export, raw_op
from gradtape._src.compute.axis_sums import wider
from gradtape._src.compute.jax_modules import jnp, lax
from gradtape._src.core.convert import tensor
from gradtape._src.core.primitive import Bound, BoundOutputs
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import scalar
from gradtape._src.declare.attributes import takes
from gradtape._src.declare.general import FLOATING, NUMERIC, dtype_of_value, general, shape_of
from gradtape._src.declare.outputs import several
from gradtape._src.declare.structural import conjugate
from gradtape._src.declare.traits import Pattern, Traits
from gradtape._src.declare.xla_kernels import in_float32
from gradtape._src.ops.array.index_errors import failing
from gradtape._src.ops.elementwise.casting import cast_p, widened
from gradtape._src.ops.elementwise.exponential import exp_p

# The axis of these primitives counts from the end.


def _cut(x: Any, axis: int, begin: int | None, end: int | None) -> Any:
    """Returns `x[begin:end]` along one axis."""
    return x[(..., slice(begin, end)) + (slice(None),) * (-1 - axis)]


def _running(x: Any, ufunc: Any, unit: Any, axis: int, exclusive: bool, reverse: bool) -> Any:
    if not x.shape[axis]:
        return x
    if reverse:
        x = np.flip(x, axis)
    if exclusive:
        head = np.full(_cut(x, axis, 0, 1).shape, unit, x.dtype)
        x = np.concatenate([head, _cut(x, axis, None, -1)], axis)
    out = ufunc.accumulate(x, axis, dtype=x.dtype)
    return np.flip(out, axis) if reverse else out


def _ahead_xla(x: Any, fill: Any, axis: int) -> Any:
    """Returns `x` shifted by one position, with `fill` at the beginning."""
    n = x.shape[axis]
    first = jnp.full_like(lax.slice_in_dim(x, 0, min(1, n), axis=axis), fill)
    return jnp.concatenate([first, lax.slice_in_dim(x, 0, max(n - 1, 0), axis=axis)], axis)


def _running_xla(name: str, unit: Any) -> Callable[..., Any]:
    def run(x: Any, *, axis: int, exclusive: bool, reverse: bool) -> Any:
        place = axis % x.ndim
        if exclusive:
            x = jnp.flip(x, place) if reverse else x
            x = _ahead_xla(x, unit, place)
            x = jnp.flip(x, place) if reverse else x
        return getattr(lax, name)(x, axis=place, reverse=reverse)

    return run


def _cumsum(x: Any, *, axis: int, exclusive: bool, reverse: bool) -> Any:
    return _running(x, np.add, 0, axis, exclusive, reverse)


cumsum_p: Bound = general(
    "Cumsum",
    _cumsum,
    {
        "x": lambda g, axis, exclusive, reverse: cumsum_p(
            g, axis=axis, exclusive=exclusive, reverse=not reverse
        )
    },
    linear=["x"],
    batching="leading",
    dtypes=NUMERIC,
    same=slice(1),
    xla=_running_xla("cumsum", 0),
    traits=Traits(pattern=Pattern.ALONG_AXIS),
)


def _recurrence(a: Any, b: Any, *, axis: int, reverse: bool) -> Any:
    """Solves r[i] = b[i] + a[i] * r[i-1] by doubling: log2(n) steps over the whole array."""
    if reverse:
        a, b = np.flip(a, axis), np.flip(b, axis)
    shape = np.broadcast_shapes(a.shape, b.shape)
    a, r = np.array(np.broadcast_to(a, shape)), np.array(np.broadcast_to(b, shape))
    step, n = 1, shape[axis]
    while step < n:
        ahead, behind = _cut(a, axis, step, None), _cut(r, axis, None, -step)
        added = np.multiply(ahead, behind)
        _cut(r, axis, step, None)[...] += added
        _cut(a, axis, step, None)[...] = ahead * _cut(a, axis, None, -step)
        step *= 2
    return np.flip(r, axis) if reverse else r


def _recurrence_xla(a: Any, b: Any, *, axis: int, reverse: bool) -> Any:
    a, b = jnp.broadcast_arrays(a, b)

    def join(left: Any, right: Any) -> Any:
        return left[0] * right[0], left[1] * right[0] + right[1]

    return lax.associative_scan(join, (a, b), axis=axis % a.ndim, reverse=reverse)[1]


def _shifted(x: Any, *, axis: int, reverse: bool) -> Any:
    """Returns the element before each position, and zero at the first."""
    out = np.zeros_like(x)
    if reverse:
        _cut(out, axis, None, -1)[...] = _cut(x, axis, 1, None)
    else:
        _cut(out, axis, 1, None)[...] = _cut(x, axis, None, -1)
    return out


def _shifted_xla(x: Any, *, axis: int, reverse: bool) -> Any:
    x = jnp.flip(x, axis) if reverse else x
    out = _ahead_xla(x, 0, axis % x.ndim)
    return jnp.flip(out, axis) if reverse else out


shift_p: Bound = general(
    "Shift",
    _shifted,
    {"x": lambda g, axis, reverse: shift_p(g, axis=axis, reverse=not reverse)},
    linear=["x"],
    batching="leading",
    xla=_shifted_xla,
    traits=Traits(pattern=Pattern.MOVED),
)


def _recurrence_of_cotangents(g: Any, a: Any, axis: int, reverse: bool) -> Any:
    a = shift_p(conjugate(a), axis=axis, reverse=not reverse)
    return recurrence_p(a, g, axis=axis, reverse=not reverse)


def _recurrence_vjp(g: Any, a: Any, out: Any, axis: int, reverse: bool) -> Any:
    before = shift_p(out, axis=axis, reverse=reverse)
    return _recurrence_of_cotangents(g, a, axis, reverse) * conjugate(before)


recurrence_p: Bound = general(
    "LinearRecurrence",
    _recurrence,
    {"a": _recurrence_vjp, "b": _recurrence_of_cotangents},
    jvps={
        "a": lambda t, a, out, axis, reverse: recurrence_p(
            a, t * shift_p(out, axis=axis, reverse=reverse), axis=axis, reverse=reverse
        )
    },
    linear=["b"],
    batching="leading",
    xla=_recurrence_xla,
)
"""r[i] = b[i] + a[i] r[i-1] along an axis, r[-1] = 0."""


def _cumprod(x: Any, *, axis: int, exclusive: bool, reverse: bool) -> Any:
    return _running(x, np.multiply, 1, axis, exclusive, reverse)


def _cumprod_vjp(g: Any, x: Any, axis: int, exclusive: bool, reverse: bool) -> Any:
    """Returns the product of the elements before each one, times the sum over those after it.

    It does not divide by `x`, so that it is correct where elements are zero.
    """
    before = cumprod_p(x, axis=axis, exclusive=True, reverse=reverse)
    if exclusive:
        g = shift_p(g, axis=axis, reverse=not reverse)
    after = shift_p(x, axis=axis, reverse=not reverse)
    rest = recurrence_p(conjugate(after), g, axis=axis, reverse=not reverse)
    return conjugate(before) * rest


def _cumprod_jvp(t: Any, x: Any, axis: int, exclusive: bool, reverse: bool) -> Any:
    before = cumprod_p(x, axis=axis, exclusive=True, reverse=reverse)
    out = recurrence_p(x, t * before, axis=axis, reverse=reverse)
    return shift_p(out, axis=axis, reverse=reverse) if exclusive else out


cumprod_p = general(
    "Cumprod",
    _cumprod,
    {"x": _cumprod_vjp},
    jvps={"x": _cumprod_jvp},
    batching="leading",
    dtypes=NUMERIC,
    same=slice(1),
    xla=_running_xla("cumprod", 1),
    traits=Traits(pattern=Pattern.ALONG_AXIS),
)


def _peaks(x: Any, *, axis: int, reverse: bool) -> tuple[Any, Any]:
    """Returns the cumulative maximum, with 0 for infinities, and exp(peak[j-1] - peak[j])."""
    precise = x.astype(wider(x.dtype), copy=False)
    peak = _running(precise, np.maximum, 0, axis, False, reverse)
    peak = np.where(np.isfinite(peak), peak, precise.dtype.type(0))
    if reverse:
        peak = np.flip(peak, axis)
    fall = np.ones_like(peak)
    drop = _cut(peak, axis, None, -1) - _cut(peak, axis, 1, None)
    # The peak decreases only after -inf, for which the sum is 0.
    np.exp(np.minimum(drop, 0), _cut(fall, axis, 1, None))
    if reverse:
        peak, fall = np.flip(peak, axis), np.flip(fall, axis)
    return peak.astype(x.dtype, copy=False), fall.astype(x.dtype, copy=False)


@in_float32
def _peaks_xla(x: Any, *, axis: int, reverse: bool) -> tuple[Any, Any]:
    peak = lax.cummax(x, axis=axis % x.ndim, reverse=reverse)
    peak = jnp.where(jnp.isfinite(peak), peak, jnp.zeros_like(peak))
    before = _shifted_xla(peak, axis=axis, reverse=reverse)
    return peak, jnp.exp(jnp.minimum(before - peak, 0))


peaks_p: BoundOutputs[tuple[Tensor, Tensor]] = several(
    2, general("RunningPeaks", _peaks, batching="leading", xla=_peaks_xla)
)
"""It has no derivative, since the final result does not depend on the peaks."""


def _logsumexp(x: Any, *, axis: int, reverse: bool) -> Any:
    if not x.shape[axis]:
        return x
    precise = x.astype(wider(x.dtype), copy=False)
    peak, fall = _peaks(precise, axis=axis, reverse=reverse)
    total = _recurrence(fall, np.exp(precise - peak), axis=axis, reverse=reverse)
    with np.errstate(divide="ignore"):
        return (np.log(total) + peak).astype(x.dtype, copy=False)


@in_float32
def _logsumexp_xla(x: Any, *, axis: int, reverse: bool) -> Any:
    if not x.shape[axis]:
        return x
    peak, fall = _peaks_xla(x, axis=axis, reverse=reverse)
    total = _recurrence_xla(fall, jnp.exp(x - peak), axis=axis, reverse=reverse)
    return jnp.log(total) + peak


def _parts(x: Any, axis: int, reverse: bool) -> tuple[Any, Any, Any]:
    """Returns the sum before each element, its exponential, and the sum, all divided by exp(peak).

    exp(x - out) would be wrong by as much as `out` is rounded, which is more than 1 for large ones.
    """
    peak, fall = peaks_p(x, axis=axis, reverse=reverse)
    power = exp_p(x - peak)
    return fall, power, recurrence_p(fall, power, axis=axis, reverse=reverse)


def _logsumexp_vjp(g: Any, x: Any, axis: int, reverse: bool) -> Any:
    fall, power, total = _parts(widened(x), axis, reverse)
    d = power * _recurrence_of_cotangents(widened(g) / total, fall, axis, reverse)
    return cast_p(d, dtype=dtype_of_value(x))


def _logsumexp_jvp(t: Any, x: Any, axis: int, reverse: bool) -> Any:
    fall, power, total = _parts(widened(x), axis, reverse)
    d = recurrence_p(fall, power * widened(t), axis=axis, reverse=reverse) / total
    return cast_p(d, dtype=dtype_of_value(x))


cumulative_logsumexp_p = general(
    "CumulativeLogsumexp",
    _logsumexp,
    {"x": _logsumexp_vjp},
    jvps={"x": _logsumexp_jvp},
    batching="leading",
    dtypes=FLOATING,
    same=slice(1),
    xla=_logsumexp_xla,
    traits=Traits(pattern=Pattern.ALONG_AXIS),
)


def _scanned(op: str, run: Callable[..., Tensor], x: Any, axis: Any, **options: Any) -> Tensor:
    x = tensor(x)
    rank, at = len(shape_of(x)), scalar(axis, op)
    if -rank <= at < rank:
        return run(x, axis=at % rank - rank, **options)
    low = -rank if rank else 0
    message = f"ScanOp: Expected scan axis in the range [{low}, {rank}), but got {at} [Op:{op}]"
    return failing(op, x, message, shape_of(x))


@export("cumsum", "math.cumsum", direct=True)
@takes(exclusive="bool", reverse="bool")
@raw_op("Cumsum")
def cumsum(
    x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Tensor:
    """Computes the cumulative sum along an axis.

    Args:
      x: A numeric tensor.
      axis: The axis.
      exclusive: Whether the sum at each position excludes the element at that position.
      reverse: Whether to sum from the end.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: `axis` is out of range.

    >>> tf.cumsum([1, 2, 3, 4]).numpy()
    array([ 1,  3,  6, 10], dtype=int32)
    >>> tf.cumsum([1, 2, 3, 4], exclusive=True).numpy()
    array([0, 1, 3, 6], dtype=int32)
    """
    flags = {"exclusive": bool(exclusive), "reverse": bool(reverse)}
    return _scanned("Cumsum", cumsum_p, x, axis, **flags)


@export("math.cumprod")
@takes(exclusive="bool", reverse="bool")
@raw_op("Cumprod")
def cumprod(
    x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Tensor:
    """Computes the cumulative product along an axis; see `cumsum`.

    The gradient is computed without division, so that it is correct where elements are zero.

    Args:
      x: A tensor of numbers.
      axis: The axis.
      exclusive: Whether the product at each position excludes the element at that position.
      reverse: Whether to start from the last element.
      name: Accepted for compatibility.

    Returns:
      A tensor of the shape and dtype of `x`.

    >>> tf.math.cumprod([1, 2, 3, 4]).numpy()
    array([ 1,  2,  6, 24], dtype=int32)
    """
    flags = {"exclusive": bool(exclusive), "reverse": bool(reverse)}
    return _scanned("Cumprod", cumprod_p, x, axis, **flags)


@export("math.cumulative_logsumexp")
@takes(exclusive="bool", reverse="bool")
@raw_op("CumulativeLogsumexp")
def cumulative_logsumexp(
    x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Tensor:
    """Computes log(cumsum(exp(x))) along an axis without overflow; see `cumsum`.

    An exclusive sum begins with -inf, the logarithm of 0.

    Args:
      x: A floating-point tensor.
      axis: The axis.
      exclusive: Whether the sum at each position excludes the element at that position.
      reverse: Whether to start from the last element.
      name: Accepted for compatibility.

    Returns:
      A tensor of the shape and dtype of `x`.
    """
    flags = {"exclusive": bool(exclusive), "reverse": bool(reverse)}
    return _scanned("CumulativeLogsumexp", _logsumexps, x, axis, **flags)


def _logsumexps(x: Tensor, *, axis: int, exclusive: bool, reverse: bool) -> Tensor:
    out = cumulative_logsumexp_p(x, axis=axis, reverse=reverse)
    if exclusive and shape_of(x)[axis]:
        start = np.zeros((shape_of(x)[axis], *(1,) * (-1 - axis)), dtype_of_value(x))
        start[-1 if reverse else 0 :][:1] = -np.inf
        out = shift_p(out, axis=axis, reverse=reverse) + start
    return out
