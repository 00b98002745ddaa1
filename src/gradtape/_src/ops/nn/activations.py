"""Activations: rectifiers and their smooth variants."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import dtype_of
from gradtape._src.base.export import export, export_value, raw_op
from gradtape._src.compute.formulas import elu as elu_kernel
from gradtape._src.compute.formulas import (
    elu_in_xla,
    expm1_below,
    expm1_below_in_xla,
    in_single,
    maximum,
    number,
    select,
    silu_in_xla,
    silu_slope,
)
from gradtape._src.compute.formulas import silu as silu_kernel
from gradtape._src.compute.gelu import (
    CUBIC,
    INNER,
    gelu_by_tanh,
    gelu_by_tanh_in_xla,
    gelu_by_tanh_slope,
    gelu_in_xla,
    gelu_slope,
    gelu_slope_in_xla,
)
from gradtape._src.compute.gelu import gelu as gelu_kernel
from gradtape._src.compute.jax_modules import jnp
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.primitive import Bound
from gradtape._src.core.recorder import active_tapes
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import axis_index, scalar
from gradtape._src.declare.attributes import takes
from gradtape._src.declare.general import FLOATING, REAL, general
from gradtape._src.declare.pointwise import unary
from gradtape._src.declare.structural import concat_p
from gradtape._src.declare.traits import COSTLY, Pattern, Traits
from gradtape._src.declare.xla_kernels import in_float32
from gradtape._src.ops.elementwise.arithmetic import abs_p, neg_p, sign_p
from gradtape._src.ops.elementwise.casting import cast_p
from gradtape._src.ops.elementwise.exponential import (
    exp_p,
    keeps_sigmoid,
    sigmoid_p,
    silu_and_sigmoid_p,
    softplus_p,
)
from gradtape._src.ops.elementwise.powers import square_p
from gradtape._src.ops.elementwise.raw_gradients import raw_gradient
from gradtape._src.ops.elementwise.trigonometric import tanh_p

_ndarray = np.ndarray
_WIDE = frozenset({np.float32, np.float64})


# The slope of a rectifier: 1 where it passes the gradient, else 0. The slope's own derivative is 0
# rather than None, as in TensorFlow.
relu_slope_p = unary(
    "ReluGrad", lambda x: (x > 0).astype(x.dtype), 0, REAL, xla=lambda x: (x > 0).astype(x.dtype)
)


def _relu(x: Any) -> Any:
    zero = x.dtype.type(0)
    if type(x) is not _ndarray:
        return max(x, zero)  # With the operands in this order, NaN stays NaN.
    return maximum(x, zero)


relu_p = unary(
    "Relu", _relu, lambda out: relu_slope_p(out), REAL, xla=lambda x: jnp.maximum(x, number(0, x))
)
relu_of = relu_p.of_arguments


raw_gradient(relu_p, "ReluGrad", kept="features")


@export("nn.relu", direct=True)
@raw_op("Relu")
def relu(features: Any, name: str | None = None) -> Tensor:
    """Returns x where it is positive, else 0. The derivative at 0 is 0.

    Args:
      features: A real tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: The dtype of `features` is not supported.

    >>> tf.nn.relu([-1.0, 2.0]).numpy()
    array([0., 2.], dtype=float32)
    """
    return relu_of(features)


@export("nn.crelu")
def crelu(features: Any, axis: int = -1, name: str | None = None) -> Tensor:
    """Concatenates relu of the features and of their negation along an axis.

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
        scalar(axis, "ConcatV2", or_vector=True),
        rank,
        "ConcatV2",
        "ConcatOp : Expected concatenating dimensions in the range",
    )
    return relu_p(concat_p(x, neg_p(x), axis=at - rank))


relu6_slope_p = unary(
    "Relu6Grad",
    lambda x: ((x > 0) & (x < 6)).astype(x.dtype),
    0,
    REAL,
    xla=lambda x: ((x > 0) & (x < 6)).astype(x.dtype),
)


def _relu6(x: Any) -> Any:
    zero, six = x.dtype.type(0), x.dtype.type(6)
    if x.dtype.kind == "V":  # np.clip converts bfloat16 to float32.
        return np.minimum(np.maximum(x, zero), six)
    return np.clip(x, zero, six)


relu6_p = unary(
    "Relu6",
    _relu6,
    lambda out: relu6_slope_p(out),
    REAL,
    xla=lambda x: jnp.minimum(jnp.maximum(x, number(0, x)), number(6, x)),
)
relu6_of = relu6_p.of_arguments


raw_gradient(relu6_p, "Relu6Grad", kept="features")


@export("nn.relu6")
@raw_op("Relu6")
def relu6(features: Any, name: str | None = None) -> Tensor:
    """Returns x clipped to the range from 0 to 6. The derivatives at 0 and 6 are 0.

    Args:
      features: A real tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: The dtype of `features` is not supported.

    >>> tf.nn.relu6([-1.0, 3.0, 9.0]).numpy()
    array([0., 3., 6.], dtype=float32)
    """
    return relu6_of(features)


def _leaky_relu(x: Any, *, alpha: float) -> Any:
    low = x * number(alpha, x)
    return np.maximum(x, low) if alpha <= 1 else np.minimum(x, low)


def _leaky_relu_xla(x: Any, *, alpha: float) -> Any:
    low = x * number(alpha, x)
    return jnp.maximum(x, low) if alpha <= 1 else jnp.minimum(x, low)


def _leaky_slope(x: Any, *, alpha: float) -> Any:
    """Returns 1 where x is positive, else alpha."""
    kind = x.dtype.type
    slope = (x > 0).astype(x.dtype)
    if 0 <= alpha <= 1:
        return maximum(slope, kind(alpha)) if alpha else slope
    return select(x > 0, kind(1), kind(alpha))


leaky_slope_p: Bound = general(
    "LeakyReluGrad",
    _leaky_slope,
    {"x": lambda g, x: g * 0},
    jvps={"x": lambda t, x: t * 0},
    batching="leading",
    traits=Traits(pattern=Pattern.ELEMENTWISE),
    xla=lambda x, *, alpha: jnp.where(x > 0, x.dtype.type(1), x.dtype.type(alpha)),
)


leaky_relu_p = general(
    "LeakyRelu",
    _leaky_relu,
    {"x": lambda g, x, alpha: g * leaky_slope_p(x, alpha=alpha)},
    jvps={"x": lambda t, x, alpha: t * leaky_slope_p(x, alpha=alpha)},
    batching="leading",
    dtypes=FLOATING,
    same=slice(0, 1),
    traits=Traits(pattern=Pattern.ELEMENTWISE),
    xla=_leaky_relu_xla,
)


raw_gradient(leaky_relu_p, "LeakyReluGrad", kept="features", alpha=0.2)


@export("nn.leaky_relu")
@takes(alpha="float")
@raw_op("LeakyRelu")
def leaky_relu(features: Any, alpha: Any = 0.2, name: str | None = None) -> Tensor:
    """Returns x where it is positive, else `alpha * x`.

    Args:
      features: A tensor; integers become float32.
      alpha: The slope below 0, a number.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape.

    Raises:
      InvalidArgumentError: The dtype is complex or not numeric.

    >>> tf.nn.leaky_relu([-1.0, 2.0]).numpy()
    array([-0.2,  2. ], dtype=float32)
    """
    x = tensor(features)
    if dtype_of(x._value).is_integer:
        x = cast_p(x, dtype=np.dtype(np.float32))
    return leaky_relu_p(x, alpha=0.2 if alpha is None else float(alpha))


# `slope` computes the derivative from the result of the function. The derivative is constant where
# the result is positive.
def _elu_slope(out: Any) -> Any:
    # The result is 1 for NaN, which is not less than 0.
    return np.fmin(out, out.dtype.type(0)) + out.dtype.type(1)


elu_slope_p: Bound = unary(
    "EluGrad",
    _elu_slope,
    lambda x: negative_p(x),
    xla=lambda x: jnp.where(x < 0, x, number(0, x)) + number(1, x),
)


negative_p: Bound = unary(
    "IsNegative", lambda x: (x < 0).astype(x.dtype), 0, REAL, xla=lambda x: (x < 0).astype(x.dtype)
)


elu_p = unary(
    "Elu",
    elu_kernel,
    lambda out: elu_slope_p(out),
    FLOATING,
    xla=in_float32(elu_in_xla),
    traits=COSTLY,
)
elu_of = elu_p.of_arguments


raw_gradient(elu_p, "EluGrad", kept="outputs")


@export("nn.elu")
@raw_op("Elu")
def elu(features: Any, name: str | None = None) -> Tensor:
    """Returns x where it is positive, else `exp(x) - 1`.

    Args:
      features: A floating-point tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: The dtype of `features` is not supported.

    >>> tf.nn.elu([-1.0, 2.0]).numpy().round(4)
    array([-0.6321,  2.    ], dtype=float32)
    """
    return elu_of(features)


_SCALE, _ALPHA = 1.0507009873554804934193349852946, 1.6732632423543772848170429916717


@in_single
def _selu(x: Any) -> Any:
    if type(x) is not _ndarray:
        return (
            x.dtype.type(_SCALE) * x if not x < 0 else x.dtype.type(_SCALE * _ALPHA) * np.expm1(x)
        )
    return _SCALE * maximum(x, x.dtype.type(0)) + (_SCALE * _ALPHA) * expm1_below(x)


def _selu_xla(x: Any) -> Any:
    low = number(_SCALE * _ALPHA, x) * expm1_below_in_xla(x)
    return jnp.where(x < 0, low, number(_SCALE, x) * x)


def _selu_slope(out: Any) -> Any:
    kind = out.dtype.type
    return select(out < 0, out + kind(_SCALE * _ALPHA), kind(_SCALE))


def _selu_slope_xla(out: Any) -> Any:
    return jnp.where(out < 0, out + number(_SCALE * _ALPHA, out), number(_SCALE, out))


selu_slope_p: Bound = unary(
    "SeluGrad", _selu_slope, lambda x: negative_p(x), FLOATING, xla=_selu_slope_xla
)


selu_p = unary(
    "Selu", _selu, lambda out: selu_slope_p(out), FLOATING, xla=in_float32(_selu_xla), traits=COSTLY
)
selu_of = selu_p.of_arguments


raw_gradient(selu_p, "SeluGrad", kept="outputs")


@export("nn.selu")
@raw_op("Selu")
def selu(features: Any, name: str | None = None) -> Tensor:
    """Returns the scaled exponential linear unit (Klambauer et al., 2017).

    Args:
      features: A floating-point tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: The dtype of `features` is not supported.

    >>> tf.nn.selu([-1.0, 2.0]).numpy().round(4)
    array([-1.1113,  2.1014], dtype=float32)
    """
    return selu_of(features)


softplus_of = softplus_p.of_arguments


@export("math.softplus", "nn.softplus")
@raw_op("Softplus")
def softplus(features: Any, name: str | None = None) -> Tensor:
    """Returns `log(1 + exp(x))` for any x.

    Args:
      features: A floating-point tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: The dtype of `features` is not supported.

    >>> tf.math.softplus([0.0, 2.0]).numpy().round(4)
    array([0.6931, 2.1269], dtype=float32)
    """
    return softplus_of(features)


raw_gradient(softplus_p, "SoftplusGrad", kept="features")


@in_single
def _softsign(x: Any) -> Any:
    return x / (1 + abs(x))


softsign_p = unary(
    "Softsign",
    _softsign,
    lambda x: softsign_slope_p(x),
    FLOATING,
    xla=in_float32(lambda x: x / (1 + jnp.abs(x))),
)
softsign_of = softsign_p.of_arguments


softsign_slope_p: Bound = unary(
    "SoftsignGrad",
    in_single(lambda x: 1 / np.square(1 + abs(x))),
    lambda x, out: -2 * out * _sign_over(x),
    FLOATING,
    xla=in_float32(lambda x: 1 / jnp.square(1 + jnp.abs(x))),
)


raw_gradient(softsign_p, "SoftsignGrad", kept="features")


def _sign_over(x: Any) -> Any:
    """Returns `sign(x) / (1 + |x|)`."""
    return sign_p(x) / (1 + abs_p(x))


@export("math.softsign", "nn.softsign")
@raw_op("Softsign")
def softsign(features: Any, name: str | None = None) -> Tensor:
    """Returns `x / (1 + |x|)`.

    Args:
      features: A floating-point tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: The dtype of `features` is not supported.

    >>> tf.nn.softsign([-1.0, 3.0]).numpy()
    array([-0.5 ,  0.75], dtype=float32)
    """
    return softsign_of(features)


def _silu_slope(x: Any) -> Any:
    if type(x) is _ndarray and x.dtype.char in "fd":
        return silu_slope(x)
    s = sigmoid_p(x)
    return s * (1 + x * (1 - s))


silu_p = unary("Silu", silu_kernel, _silu_slope, xla=in_float32(silu_in_xla), traits=COSTLY)


@export("nn.silu")
def silu(features: Any, beta: Any = 1.0) -> Tensor:
    """Returns `x * sigmoid(beta * x)`, also known as swish.

    Args:
      features: A floating or complex tensor.
      beta: A number or tensor.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: The dtype is an integer dtype.

    >>> tf.nn.silu([0.0, 2.0]).numpy().round(4)
    array([0.    , 1.7616], dtype=float32)
    """
    x = tensor(features)
    if type(beta) in (int, float) and beta == 1:
        return silu_and_sigmoid_p(x)[0] if keeps_sigmoid(x._value) else silu_p(x)
    return x * sigmoid_p(x * convert_to_tensor(beta, x.dtype))


swish = silu


export_value(swish, "nn.swish")


def _gelu_curvature(x: Any) -> Any:
    density = number(1 / math.sqrt(2 * math.pi), x) * exp_p(number(-0.5, x) * square_p(x))
    return 2 * density - x * density * x


# One operation, so that compiled programs keep nothing but `x` for it.
gelu_slope_p = unary(
    "GeluGrad", gelu_slope, _gelu_curvature, FLOATING, xla=in_float32(gelu_slope_in_xla)
)


def _gelu_slope(x: Any) -> Any:
    return gelu_slope_p(x) if type(x) is Tensor else gelu_slope(x)


gelu_p = unary(
    "Gelu", gelu_kernel, _gelu_slope, FLOATING, xla=in_float32(gelu_in_xla), traits=COSTLY
)


def _gelu_by_tanh_slope(x: Any) -> Any:
    if type(x) is _ndarray:
        return gelu_by_tanh_slope(x)
    square = x * x
    t = tanh_p(x * (INNER + CUBIC * square))
    return ((x * (INNER + (3 * CUBIC) * square)) * (1 - t * t) + (1 + t)) * 0.5


# Used outside of graphs, which have the elementary operations.
gelu_by_tanh_p = unary(
    "GeluByTanh",
    gelu_by_tanh,
    _gelu_by_tanh_slope,
    _WIDE,
    xla=gelu_by_tanh_in_xla,
    traits=COSTLY,
)


@export("nn.gelu", direct=True)
def gelu(features: Any, approximate: bool = False, name: str | None = None) -> Tensor:
    """Returns the Gaussian error linear unit `x * P(N(0, 1) <= x)` (Hendrycks and Gimpel, 2016).

    Args:
      features: A floating-point tensor.
      approximate: Whether to use `x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 x**3)))`.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      ValueError: The dtype is not floating.

    >>> tf.nn.gelu([0.0, 1.0]).numpy().round(4)
    array([0.    , 0.8413], dtype=float32)
    """
    x = tensor(features)
    if not dtype_of(x._value).is_floating:
        raise ValueError(
            f"`features.dtype` must be a floating point tensor. Received: features.dtype="
            f"{x.dtype} (tf.cast converts)"
        )
    if not approximate:
        return gelu_p(x)
    if x._value.dtype.type in _WIDE and active_tapes() is not None:
        return gelu_by_tanh_p(x)
    inner = x + number(0.044715, x) * (x * x * x)
    return x * number(0.5, x) * (1 + tanh_p(number(INNER, x) * inner))
