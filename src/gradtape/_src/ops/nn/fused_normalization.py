"""Moments and normalization as single operations, which are used where no graph is made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradtape._src.compute import normalization
from gradtape._src.compute.jax_modules import jnp
from gradtape._src.core.primitive import Bound, BoundOutputs
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.general import general, shape_of
from gradtape._src.declare.outputs import several
from gradtape._src.declare.structural import count, expand_reduced, unbroadcast
from gradtape._src.ops.elementwise.identities import stop_gradient_p
from gradtape._src.ops.elementwise.powers import rsqrt_p, square_p
from gradtape._src.ops.reduce.reductions import reduce_mean_p

FUSED = frozenset({np.dtype(np.float32), np.dtype(np.float64)})
"""The dtypes of these operations."""
_TYPES = frozenset({np.float32, np.float64})


def _moments(x: Any, *, axis: tuple[int, ...], keepdims: bool, stops: bool) -> Any:
    mean, variance = normalization.moments(x, axis)
    if keepdims:
        return mean, variance
    shape = tuple([n for i, n in enumerate(x.shape, -x.ndim) if i not in axis])
    return mean.reshape(shape)[()], variance.reshape(shape)[()]


def _moments_in_xla(x: Any, *, axis: tuple[int, ...], keepdims: bool, stops: bool) -> Any:
    return jnp.mean(x, axis, keepdims=keepdims), jnp.var(x, axis, keepdims=keepdims)


def _moments_vjp(
    g: Any, x: Any, out: Any, axis: tuple[int, ...], keepdims: bool, stops: bool
) -> Any:
    shape = shape_of(x)
    to_mean, to_variance, mean = (expand_reduced(v, shape, axis, keepdims) for v in (*g, out[0]))
    raw = type(x) is np.ndarray and all(type(v) is not Tensor for v in (to_mean, to_variance))
    if raw and (keepdims or len(axis) < len(shape)):
        return normalization.moments_vjp((to_mean, to_variance), x, mean, axis)
    n = count([shape[a] for a in axis])
    deviation = x - (stop_gradient_p(mean) if stops else mean)
    return (to_mean + deviation * (to_variance * 2.0)) * (1 / n if n else np.nan)


def _moments_jvp(
    t: Any, x: Any, out: Any, axis: tuple[int, ...], keepdims: bool, stops: bool
) -> Any:
    mean = expand_reduced(out[0], shape_of(x), axis, keepdims)
    deviation = x - (stop_gradient_p(mean) if stops else mean)
    slope = reduce_mean_p(deviation * t, axis=axis, keepdims=keepdims) * 2.0
    return reduce_mean_p(t, axis=axis, keepdims=keepdims), slope


moments_p: BoundOutputs[tuple[Tensor, Tensor]] = several(
    2,
    general(
        "Moments",
        _moments,
        {"x": _moments_vjp},
        jvps={"x": _moments_jvp},
        batching="leading",
        dtypes=_TYPES,
        xla=_moments_in_xla,
    ),
)
"""Mean and variance along negative, ascending axes.

No gradient of the variance flows through the mean if `stops`, which only second derivatives show.
"""


def _parts(xs: Sequence[Any], scaled: bool) -> tuple[Any, ...]:
    """Returns `x`, mean, variance, scale and offset, the last two of which may be None."""
    offset = xs[-1] if len(xs) > 3 + scaled else None
    return *xs[:3], xs[3] if scaled else None, offset


def _normalized(*xs: Any, epsilon: float, scaled: bool) -> Any:
    x, mean, variance, scale, offset = _parts(xs, scaled)
    return normalization.normalized(x, mean, variance, scale, offset, epsilon)


def _normalized_in_xla(*xs: Any, epsilon: float, scaled: bool) -> Any:
    x, mean, variance, scale, offset = _parts(xs, scaled)
    out = (x - mean) / jnp.sqrt(variance + epsilon)
    out = out if scale is None else out * scale
    return out if offset is None else out + offset


def _normalized_vjp(g: Any, xs: Sequence[Any], epsilon: float, scaled: bool) -> list[Any]:
    x, mean, variance, scale, offset = _parts(xs, scaled)
    if type(x) is not Tensor and type(g) is not Tensor:
        found = normalization.normalized_vjp(g, x, mean, variance, scale, offset, epsilon)
        return [d for d in found if d is not None]
    inverse = rsqrt_p(variance + epsilon)
    deviation = x - mean
    to_factor = g if scale is None else g * scale
    to_x = to_factor * inverse
    cube = square_p(inverse) * inverse
    found = [
        (to_x, x),
        (-to_x, mean),
        (to_factor * deviation * cube * -0.5, variance),
        (None if scale is None else g * deviation * inverse, scale),
        (None if offset is None else g, offset),
    ]
    full = shape_of(g)
    return [unbroadcast(d, full, shape_of(v)) for d, v in found if v is not None]


normalization_p: Bound = general(
    "Normalization",
    _normalized,
    {"xs": _normalized_vjp},
    dtypes=_TYPES,
    same=slice(None),
    xla=_normalized_in_xla,
)
"""`(x - mean) / sqrt(variance + epsilon)`, then times the scale if `scaled`, then plus the offset.

Its inputs are these in this order, of which the scale and the offset may lack; they broadcast.
"""
