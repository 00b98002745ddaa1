"""Softmax and its logarithm, along one axis."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._src.base.export import export, raw_op
from gradtape._src.compute.axis_sums import LARGE, add, extreme
from gradtape._src.compute.formulas import along_rows, exp_of_rounded_into
from gradtape._src.compute.jax_modules import jax
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.primitive import Bound
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.tracebacks import shorten
from gradtape._src.declare.arguments import integer, invalid
from gradtape._src.declare.general import FLOATING, general
from gradtape._src.declare.open_graphs import when_run
from gradtape._src.declare.structural import reduce_sum_p
from gradtape._src.declare.traits import Pattern, Traits
from gradtape._src.declare.unknown_sizes import NeedsRank
from gradtape._src.declare.xla_kernels import in_float32
from gradtape._src.ops.elementwise.exponential import exp_p

# Softmax. The axis counts from the end.


_MODEST = 40.0  # Limits up to which the exponentials need no shift to avoid overflow.


def _shift_into(x: Any, out: Any, axis: int) -> None:
    if axis == -1 and x.size:
        top = extreme(np.maximum, x, True)
    else:
        top = np.maximum.reduce(x, axis=axis, keepdims=True, initial=-np.inf)
    np.subtract(x, top, out)


def _softmax_into(x: Any, out: Any, axis: int) -> None:
    if x.size >= LARGE and np.maximum.reduce(x, None) < _MODEST > -np.minimum.reduce(x, None):
        np.exp(x, out)
    else:
        _shift_into(x, out, axis)
        np.exp(out, out)
    out /= add(out, (axis,), True)


def _softmax_in_xla(x: Any, *, axis: int = -1) -> Any:
    return jax.nn.softmax(x, axis)


def _softmax(x: Any, *, axis: int) -> Any:
    return along_rows(_softmax_into, axis, x)


def _softmax_vjp_into(g: Any, y: Any, out: Any, axis: int) -> None:
    if axis == -1:
        inner = np.vecdot(g, y)[..., None]
    else:
        np.multiply(g, y, out)
        inner = add(out, (axis,), True)
    np.subtract(g, inner, out)
    out *= y


def _softmax_vjp(g: Any, out: Any, axis: int) -> Any:
    if type(g) is np.ndarray:
        return along_rows(_softmax_vjp_into, axis, g, out)
    share = g * out  # This form is the fastest in XLA.
    return share + -reduce_sum_p(share, axis=(axis,), keepdims=True) * out


softmax_p: Bound = general(
    "Softmax",
    _softmax,
    {"x": _softmax_vjp},
    jvps={"x": _softmax_vjp},
    batching="leading",
    dtypes=FLOATING,
    same=slice(0, 1),
    traits=Traits(pattern=Pattern.ALONG_AXIS, costly=True),
    xla=in_float32(_softmax_in_xla),
)


def softmax_axis(axis: Any, rank: int, op: str) -> int:
    """Returns the axis of a softmax, counted from the end.

    Raises:
      InvalidArgumentError: There is no such axis.
    """
    if rank == 0:
        raise invalid(f"logits must have >= 1 dimension, got [] [Op:{op}]")
    try:
        at = -1 if axis is None else integer(axis, op)
    except TypeError as error:
        shorten(error)
        raise
    if not -rank <= at < rank:
        raise invalid(
            f"`dim` must be in the range [{-rank}, {rank}) where {rank} is the number of "
            f"dimensions in the input. Received: dim={at}",
        )
    return at - rank if at >= 0 else at


@export("math.softmax", "nn.softmax", direct=True)
@raw_op("Softmax")
def softmax(logits: Any, axis: Any = None, name: str | None = None) -> Tensor:
    """Returns `exp(logits) / sum(exp(logits))` along an axis, without overflow.

    Args:
      logits: A floating-point tensor of rank 1 or more.
      axis: The axis along which the results add up to 1. Defaults to the last one.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: The dtype is not floating, or there is no such axis.

    >>> tf.nn.softmax([0.0, 1.0, 2.0]).numpy().round(3)
    array([0.09 , 0.245, 0.665], dtype=float32)
    """
    x = convert_to_tensor(logits)
    try:
        at = softmax_axis(axis, x._value.ndim, "Softmax")
    except NeedsRank:
        return when_run(softmax, x, axis)
    return softmax_p(x, axis=at)


def _log_softmax_into(x: Any, out: Any, axis: int) -> None:
    _shift_into(x, out, axis)
    powers = np.empty(out.shape, out.dtype)
    exp_of_rounded_into(out, powers)
    out -= np.log(add(powers, (axis,), True))


def _log_softmax_in_xla(x: Any, *, axis: int = -1) -> Any:
    return jax.nn.log_softmax(x, axis)


def _log_softmax(x: Any, *, axis: int) -> Any:
    return along_rows(_log_softmax_into, axis, x)


def _log_softmax_vjp_into(g: Any, y: Any, out: Any, axis: int) -> None:
    exp_of_rounded_into(y, out)
    out *= add(g, (axis,), True)
    np.subtract(g, out, out)


def _log_softmax_vjp(g: Any, out: Any, axis: int) -> Any:
    if type(g) is np.ndarray and type(out) is np.ndarray:
        return along_rows(_log_softmax_vjp_into, axis, g, out)
    return g - exp_p(out) * reduce_sum_p(g, axis=(axis,), keepdims=True)


log_softmax_p: Bound = general(
    "LogSoftmax",
    _log_softmax,
    {"x": _log_softmax_vjp},
    jvps={"x": lambda t, out, axis: t - reduce_sum_p(exp_p(out) * t, axis=(axis,), keepdims=True)},
    batching="leading",
    dtypes=FLOATING,
    same=slice(0, 1),
    traits=Traits(pattern=Pattern.ALONG_AXIS, costly=True, costs_as="exp2"),
    xla=in_float32(_log_softmax_in_xla),
)


@export("math.log_softmax", "nn.log_softmax", direct=True)
@raw_op("LogSoftmax")
def log_softmax(logits: Any, axis: Any = None, name: str | None = None) -> Tensor:
    """Returns `logits - log(sum(exp(logits)))` along an axis, without overflow.

    Args:
      logits: A floating-point tensor of rank 1 or more.
      axis: The axis that is summed. Defaults to the last one.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: The dtype is not floating, or there is no such axis.

    >>> tf.nn.log_softmax([0.0, 1.0]).numpy().round(4)
    array([-1.3133, -0.3133], dtype=float32)
    """
    x = convert_to_tensor(logits)
    try:
        at = softmax_axis(axis, x._value.ndim, "LogSoftmax")
    except NeedsRank:
        return when_run(log_softmax, x, axis)
    return log_softmax_p(x, axis=at)
