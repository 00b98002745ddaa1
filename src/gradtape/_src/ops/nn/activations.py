"""Activations, softmax and normalization by statistics of a batch or a row."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import dtype_of
from gradtape._src.base.errors import InvalidArgumentError
from gradtape._src.base.export import export, export_value, raw_op
from gradtape._src.compute.axis_sums import LARGE, add, extreme
from gradtape._src.compute.formulas import (
    along_rows,
    expm1_below,
    in_single,
    maximum,
    minimum,
    number,
    select,
)
from gradtape._src.compute.formulas import elu as elu_kernel
from gradtape._src.compute.formulas import silu as silu_kernel
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.primitive import Bound
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import axis_index
from gradtape._src.declare.families import (
    FLOATING,
    REAL,
    concat_p,
    general,
    reduce_sum_p,
)
from gradtape._src.declare.pointwise import unary
from gradtape._src.declare.row_partitions import RaggedRows
from gradtape._src.declare.traits import Pattern, Traits
from gradtape._src.ops.elementwise.arithmetic import abs_p, neg_p, sign_p
from gradtape._src.ops.elementwise.casting import cast_p
from gradtape._src.ops.elementwise.exponential import exp_p, sigmoid_p, softplus_p
from gradtape._src.ops.elementwise.powers import square_p
from gradtape._src.ops.elementwise.raw_gradients import raw_gradient
from gradtape._src.ops.elementwise.special import ndtr_p
from gradtape._src.ops.elementwise.trigonometric import tanh_p

_ndarray = np.ndarray

# Where a rectifier passes its gradient. Like relu's, its own derivative is 0, not None.
relu_slope_p = unary("ReluGrad", lambda x: (x > 0).astype(x.dtype), 0, REAL)
relu6_slope_p = unary("Relu6Grad", lambda x: ((x > 0) & (x < 6)).astype(x.dtype), 0, REAL)


def _relu(x: Any) -> Any:
    zero = x.dtype.type(0)
    if type(x) is not _ndarray:
        return max(x, zero)  # in this order NaN stays
    return maximum(x, zero)


relu_p = unary("Relu", _relu, lambda out: relu_slope_p(out), REAL)
raw_gradient(relu_p, "ReluGrad", kept="features")


def _relu6(x: Any) -> Any:
    zero, six = x.dtype.type(0), x.dtype.type(6)
    if x.dtype.kind == "V":  # np.clip makes float32 of a bfloat16
        return np.minimum(np.maximum(x, zero), six)
    return np.clip(x, zero, six)


relu6_p = unary("Relu6", _relu6, lambda out: relu6_slope_p(out), REAL)
raw_gradient(relu6_p, "Relu6Grad", kept="features")


def _leaky_relu(x: Any, *, alpha: float) -> Any:
    low = x * number(alpha, x)
    return np.maximum(x, low) if alpha <= 1 else np.minimum(x, low)


def _leaky_slope(x: Any, *, alpha: float) -> Any:
    """1 where x is positive, else alpha."""
    kind = x.dtype.type
    slope = (x > 0).astype(x.dtype)
    if 0 <= alpha <= 1:
        return maximum(slope, kind(alpha)) if alpha else slope
    return select(x > 0, kind(1), kind(alpha))


leaky_slope_p: Bound = general(
    "LeakyReluGrad",
    _leaky_slope,
    {"x": lambda g, x: g * 0},
    pushes={"x": lambda t, x: t * 0},
    batching="leading",
    traits=Traits(pattern=Pattern.ELEMENTWISE),
)
leaky_relu_p = general(
    "LeakyRelu",
    _leaky_relu,
    {"x": lambda g, x, alpha: g * leaky_slope_p(x, alpha=alpha)},
    pushes={"x": lambda t, x, alpha: t * leaky_slope_p(x, alpha=alpha)},
    batching="leading",
    dtypes=FLOATING,
    same=slice(0, 1),
    traits=Traits(pattern=Pattern.ELEMENTWISE),
)
raw_gradient(leaky_relu_p, "LeakyReluGrad", kept="features", alpha=0.2)


# The slope is the derivative in terms of the result; where that is positive it is constant.
def _elu_slope(out: Any) -> Any:
    return np.fmin(out, out.dtype.type(0)) + out.dtype.type(1)  # 1 for NaN, which is not below 0


elu_slope_p: Bound = unary("EluGrad", _elu_slope, lambda x: negative_p(x))
negative_p: Bound = unary("IsNegative", lambda x: (x < 0).astype(x.dtype), 0, REAL)
elu_p = unary("Elu", elu_kernel, lambda out: elu_slope_p(out), FLOATING)
raw_gradient(elu_p, "EluGrad", kept="outputs")

_SCALE, _ALPHA = 1.0507009873554804934193349852946, 1.6732632423543772848170429916717


@in_single
def _selu(x: Any) -> Any:
    if type(x) is not _ndarray:
        return (
            x.dtype.type(_SCALE) * x if not x < 0 else x.dtype.type(_SCALE * _ALPHA) * np.expm1(x)
        )
    return _SCALE * maximum(x, x.dtype.type(0)) + (_SCALE * _ALPHA) * expm1_below(x)


def _selu_slope(out: Any) -> Any:
    kind = out.dtype.type
    return select(out < 0, out + kind(_SCALE * _ALPHA), kind(_SCALE))


selu_slope_p: Bound = unary("SeluGrad", _selu_slope, lambda x: negative_p(x), FLOATING)
selu_p = unary("Selu", _selu, lambda out: selu_slope_p(out), FLOATING)
raw_gradient(selu_p, "SeluGrad", kept="outputs")


@in_single
def _softsign(x: Any) -> Any:
    return x / (1 + abs(x))


softsign_p = unary("Softsign", _softsign, lambda x: softsign_slope_p(x), FLOATING)
softsign_slope_p: Bound = unary(
    "SoftsignGrad",
    in_single(lambda x: 1 / np.square(1 + abs(x))),
    lambda x, out: -2 * out * _sign_over(x),
    FLOATING,
)
raw_gradient(softsign_p, "SoftsignGrad", kept="features")


def _sign_over(x: Any) -> Any:
    """sign(x) / (1 + |x|)."""
    return sign_p(x) / (1 + abs_p(x))


def _silu_slope(x: Any) -> Any:
    s = sigmoid_p(x)
    return s * (1 + x * (1 - s))


silu_p = unary("Silu", silu_kernel, _silu_slope)


@in_single
def _gelu(x: Any) -> Any:
    return x * ndtr_p(x)


_TINY = 1e-37


def _gelu_slope(x: Any, out: Any) -> Any:
    density = exp_p(square_p(x) / -2) * number(1 / math.sqrt(2 * math.pi), x)
    if type(out) is _ndarray and out.size >= LARGE and out.dtype.char in "fd":
        # ndtr(x), ten times as costly, is out / x; 0.5 at 0, which both are moved away from.
        away = np.copysign(out.dtype.type(_TINY), x)
        share = away * out.dtype.type(0.5)
        share += out
        away += x
        share /= away
        return share + x * density
    return ndtr_p(x) + x * density


gelu_p = unary("Gelu", _gelu, _gelu_slope, FLOATING)


# Softmax. The axis counts from the end.


_MODEST = 40.0  # numbers up to which the sum of exponentials needs no shift


def _shift_into(x: Any, out: Any, axis: int) -> None:
    if x.size >= LARGE and axis == -1:
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


def _softmax(x: Any, *, axis: int) -> Any:
    return along_rows(_softmax_into, axis, x, name="softmax")


def _softmax_pull_into(g: Any, y: Any, out: Any, axis: int) -> None:
    if axis == -1:
        inner = np.vecdot(g, y)[..., None]
    else:
        np.multiply(g, y, out)
        inner = add(out, (axis,), True)
    np.subtract(g, inner, out)
    out *= y


def _softmax_pull(g: Any, out: Any, axis: int) -> Any:
    if type(g) is np.ndarray:
        return along_rows(_softmax_pull_into, axis, g, out)
    share = g * out  # in the form that XLA computes fastest
    return share + -reduce_sum_p(share, axis=(axis,), keepdims=True) * out


softmax_p: Bound = general(
    "Softmax",
    _softmax,
    {"x": _softmax_pull},
    pushes={"x": _softmax_pull},
    batching="leading",
    dtypes=FLOATING,
    same=slice(0, 1),
    traits=Traits(pattern=Pattern.ALONG_AXIS),
)


def _log_softmax_into(x: Any, out: Any, axis: int) -> None:
    _shift_into(x, out, axis)
    out -= np.log(add(np.exp(out), (axis,), True))


def _log_softmax(x: Any, *, axis: int) -> Any:
    return along_rows(_log_softmax_into, axis, x, name="log_softmax")


def _log_softmax_pull(g: Any, out: Any, axis: int) -> Any:
    total = reduce_sum_p(g, axis=(axis,), keepdims=True)
    d = exp_p(out)
    if type(d) is _ndarray and d.size >= LARGE and d.dtype is g.dtype:
        d *= total
        return np.subtract(g, d, d)
    return g - d * total


log_softmax_p: Bound = general(
    "LogSoftmax",
    _log_softmax,
    {"x": _log_softmax_pull},
    pushes={
        "x": lambda t, out, axis: t - reduce_sum_p(exp_p(out) * t, axis=(axis,), keepdims=True)
    },
    batching="leading",
    dtypes=FLOATING,
    same=slice(0, 1),
    traits=Traits(pattern=Pattern.ALONG_AXIS),
)


def softmax_axis(axis: Any, rank: int, op: str) -> int:
    """The axis of a softmax, counted from the end.

    Raises:
      InvalidArgumentError: There is no such axis.
    """
    if rank == 0:
        raise InvalidArgumentError(None, None, f"logits must have >= 1 dimension, got [] [Op:{op}]")
    at = -1 if axis is None else int(axis)
    if not -rank <= at < rank:
        raise InvalidArgumentError(
            None,
            None,
            f"`dim` must be in the range [{-rank}, {rank}) where {rank} is the number of "
            f"dimensions in the input. Received: dim={at}",
        )
    return at - rank if at >= 0 else at


@export("math.softmax", "nn.softmax")
@raw_op("Softmax")
def softmax(logits: Any, axis: Any = None, name: str | None = None) -> Any:
    """`exp(logits) / sum(exp(logits))` along an axis, for logits of any size.

    Args:
      logits: A floating tensor of rank 1 or more.
      axis: The axis along which the results add up to 1; the last one unless given.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: The dtype is not floating, or there is no such axis.
    """
    if type(logits) is not Tensor and isinstance(logits, RaggedRows):
        return logits._run("softmax", logits, axis)
    x = tensor(logits)
    return softmax_p(x, axis=softmax_axis(axis, x._value.ndim, "Softmax"))


@export("math.log_softmax", "nn.log_softmax")
@raw_op("LogSoftmax")
def log_softmax(logits: Any, axis: Any = None, name: str | None = None) -> Any:
    """`logits - log(sum(exp(logits)))` along an axis, for logits of any size.

    Args:
      logits: A floating tensor of rank 1 or more.
      axis: The axis that is summed; the last one unless given.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: The dtype is not floating, or there is no such axis.
    """
    x = tensor(logits)
    return log_softmax_p(x, axis=softmax_axis(axis, x._value.ndim, "LogSoftmax"))


@export("nn.relu")
@raw_op("Relu")
def relu(features: Any, name: str | None = None) -> Any:
    """X where it is positive, else 0. The derivative at 0 is 0.

    Args:
      features: A real tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: `features` has another dtype.
    """
    return relu_p(tensor(features))


@export("nn.relu6")
@raw_op("Relu6")
def relu6(features: Any, name: str | None = None) -> Any:
    """X between 0 and 6, clipped to that. The derivatives at 0 and 6 are 0.

    Args:
      features: A real tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: `features` has another dtype.
    """
    return relu6_p(tensor(features))


@export("nn.elu")
@raw_op("Elu")
def elu(features: Any, name: str | None = None) -> Any:
    """X where it is positive, else `exp(x) - 1`.

    Args:
      features: A floating tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: `features` has another dtype.
    """
    return elu_p(tensor(features))


@export("nn.selu")
@raw_op("Selu")
def selu(features: Any, name: str | None = None) -> Any:
    """The scaled exponential linear unit (Klambauer et al., 2017).

    Args:
      features: A floating tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: `features` has another dtype.
    """
    return selu_p(tensor(features))


@export("math.softplus", "nn.softplus")
@raw_op("Softplus")
def softplus(features: Any, name: str | None = None) -> Any:
    """`log(1 + exp(x))` for any x.

    Args:
      features: A floating tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: `features` has another dtype.
    """
    return softplus_p(tensor(features))


raw_gradient(softplus_p, "SoftplusGrad", kept="features")


@export("math.softsign", "nn.softsign")
@raw_op("Softsign")
def softsign(features: Any, name: str | None = None) -> Any:
    """`x / (1 + |x|)`.

    Args:
      features: A floating tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: `features` has another dtype.
    """
    return softsign_p(tensor(features))


@export("nn.leaky_relu")
@raw_op("LeakyRelu")
def leaky_relu(features: Any, alpha: Any = 0.2, name: str | None = None) -> Any:
    """X where it is positive, else `alpha * x`.

    Args:
      features: A tensor; integers become float32.
      alpha: The slope below 0, a number.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape.

    Raises:
      InvalidArgumentError: The dtype is complex or not numeric.
    """
    x = tensor(features)
    if dtype_of(x._value).is_integer:
        x = cast_p(x, dtype=np.dtype(np.float32))
    return leaky_relu_p(x, alpha=float(alpha))


@export("nn.crelu")
def crelu(features: Any, axis: int = -1, name: str | None = None) -> Any:
    """Relu of the features and of their negation, one after the other along an axis.

    Args:
      features: A real tensor of rank 1 or more.
      axis: The axis, which becomes twice as long.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same dtype.

    Raises:
      InvalidArgumentError: The dtype is not real.
    """
    x = tensor(features)
    rank = x._value.ndim
    at = axis_index(
        axis, rank, "ConcatV2", "ConcatOp : Expected concatenating dimensions in the range"
    )
    return relu_p(concat_p(x, neg_p(x), axis=at - rank))


@export("nn.gelu")
def gelu(features: Any, approximate: bool = False, name: str | None = None) -> Any:
    """The Gaussian error linear unit `x * P(N(0, 1) <= x)` (Hendrycks and Gimpel, 2016).

    Args:
      features: A floating tensor.
      approximate: Whether to use `x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 x**3)))`.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      ValueError: The dtype is not floating.
    """
    x = tensor(features)
    if not dtype_of(x._value).is_floating:
        raise ValueError(
            f"`features.dtype` must be a floating point tensor. Received: features.dtype="
            f"{x.dtype} (tf.cast converts)"
        )
    if not approximate:
        return gelu_p(x)
    inner = x + number(0.044715, x) * (x * x * x)
    return x * number(0.5, x) * (1 + tanh_p(number(math.sqrt(2 / math.pi), x) * inner))


@export("nn.silu")
def silu(features: Any, beta: Any = 1.0) -> Any:
    """`x * sigmoid(beta * x)`, also known as swish.

    Args:
      features: A floating or complex tensor.
      beta: A number or tensor.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: The dtype is an integer one.
    """
    x = tensor(features)
    if type(beta) in (int, float) and beta == 1:
        return silu_p(x)
    return x * sigmoid_p(x * convert_to_tensor(beta, x.dtype))


swish = silu


export_value(swish, "nn.swish")
