"""log(sum(exp(x))) along axes, and the share of each element in the sum."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._src.base.export import export
from gradtape._src.compute.axis_sums import add, extreme, wider
from gradtape._src.compute.jax_modules import jnp
from gradtape._src.core.primitive import Bound
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import reduced
from gradtape._src.declare.general import FLOATING, general, shape_of
from gradtape._src.declare.open_graphs import when_run
from gradtape._src.declare.structural import reduce_sum_p, spread
from gradtape._src.declare.traits import Pattern, Traits
from gradtape._src.declare.unknown_sizes import NeedsRank
from gradtape._src.declare.xla_kernels import in_float32
from gradtape._src.ops.reduce.reductions import Axes, dense

# (x, axis, dtype, out, keepdims); the types that NumPy declares allow fewer forms of the call.
_MAXIMUM: Any = np.maximum.reduce


def _top(x: Any, axis: Axes) -> Any:
    """Returns the maximum and keeps its axes.

    Returns 0 if the maximum is infinite or there are no elements.
    """
    if not x.size:
        return x.dtype.type(0)
    top = extreme(np.maximum, x, True) if axis == (-1,) else _MAXIMUM(x, axis, None, None, True)
    return np.where(np.isfinite(top), top, x.dtype.type(0))


def _top_xla(x: Any, axis: Axes) -> Any:
    top = jnp.max(x, axis, keepdims=True, initial=-np.inf)
    return jnp.where(jnp.isfinite(top), top, jnp.zeros_like(top))


def _logsumexp(x: Any, *, axis: Axes, keepdims: bool) -> Any:
    precise = x.astype(wider(x.dtype), copy=False)
    top = _top(precise, axis)
    with np.errstate(divide="ignore"):
        out = np.log(add(np.exp(precise - top), axis, True)) + top
    if not keepdims:
        out = out.reshape([n for a, n in enumerate(x.shape, -x.ndim) if a not in axis])[()]
    return out.astype(x.dtype, copy=False)


@in_float32
def _logsumexp_xla(x: Any, *, axis: Axes, keepdims: bool) -> Any:
    top = _top_xla(x, axis)
    out = jnp.log(jnp.sum(jnp.exp(x - top), axis, keepdims=True)) + top
    return out if keepdims else jnp.squeeze(out, axis)


def _shares_of_sum(x: Any, *, axis: Axes) -> Any:
    """Returns the share of each exponential in their sum, a softmax along several axes.

    It isn't computed as `exp(x - logsumexp(x))`, since the rounding error of a large logarithm
    exceeds 1.
    """
    precise = x.astype(wider(x.dtype), copy=False)
    powers = np.exp(precise - _top(precise, axis))
    return (powers / add(powers, axis, True)).astype(x.dtype, copy=False)


@in_float32
def _shares_of_sum_xla(x: Any, *, axis: Axes) -> Any:
    powers = jnp.exp(x - _top_xla(x, axis))
    return powers / jnp.sum(powers, axis, keepdims=True)


def _shares_of_sum_vjp(g: Any, out: Any, axis: Axes) -> Any:
    return (g - reduce_sum_p(g * out, axis=axis, keepdims=True)) * out


shares_of_sum_p: Bound = general(
    "SoftmaxAlongAxes",
    _shares_of_sum,
    {"x": _shares_of_sum_vjp},
    jvps={"x": _shares_of_sum_vjp},
    batching="leading",
    dtypes=FLOATING,
    same=slice(1),
    xla=_shares_of_sum_xla,
)


reduce_logsumexp_p = general(
    "ReduceLogSumExp",
    _logsumexp,
    {
        "x": lambda g, x, axis, keepdims: (
            spread(g, shape_of(x), axis, keepdims) * shares_of_sum_p(x, axis=axis)
        )
    },
    jvps={
        "x": lambda t, x, axis, keepdims: reduce_sum_p(
            t * shares_of_sum_p(x, axis=axis), axis=axis, keepdims=keepdims
        )
    },
    batching="leading",
    dtypes=FLOATING,
    same=slice(1),
    xla=_logsumexp_xla,
    traits=Traits(pattern=Pattern.REDUCED),
)


@export("reduce_logsumexp", "math.reduce_logsumexp")
def reduce_logsumexp(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Computes log(sum(exp(x))) along axes without overflow; see `reduce_sum`.

    Args:
      input_tensor: A tensor.
      axis: The axes to reduce: an integer, or several. Defaults to all of them.
      keepdims: Whether the reduced axes are kept, with length one.
      name: Accepted for compatibility.

    Returns:
      A tensor of the dtype of `input_tensor`.

    Raises:
      InvalidArgumentError: An axis is out of range.

    >>> tf.reduce_logsumexp([0.0, 0.0, 1000.0]).numpy()
    np.float32(1000.0)
    """
    x = dense(input_tensor)
    try:
        axis = reduced(axis, x._value.ndim, "Max")
    except NeedsRank:
        return when_run(reduce_logsumexp, x, axis, keepdims)
    return reduce_logsumexp_p(x, axis=axis, keepdims=bool(keepdims))
