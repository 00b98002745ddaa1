"""Exponentials, logarithms, and functions of logits that are composed of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._src.base.export import export, raw_op
from gradtape._src.compute import formulas
from gradtape._src.compute.parallel import Engine
from gradtape._src.core.convert import tensor
from gradtape._src.core.primitive import BoundOutputs
from gradtape._src.core.recorder import active_tapes
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.general import FLOATING, general
from gradtape._src.declare.outputs import several
from gradtape._src.declare.pointwise import itself_out, times_slope, unary
from gradtape._src.declare.traits import COSTLY, Hazard, Traits
from gradtape._src.declare.xla_kernels import in_float32
from gradtape._src.ops.elementwise.arithmetic import neg_p
from gradtape._src.ops.elementwise.division import reciprocal_p
from gradtape._src.ops.elementwise.raw_gradients import product_with_slope, raw_gradient

_ndarray = np.ndarray
_WIDE = frozenset({np.float32, np.float64})
_LARGE = 1 << 14  # the number of elements from which an exponential costs more than two outputs

exp_p = unary("Exp", formulas.exp, itself_out, traits=Traits(costly=True))
exp_of = exp_p.of_arguments
expm1_p = unary(
    "Expm1",
    formulas.expm1,
    lambda x: exp_p(x),
    xla=in_float32(formulas.expm1_in_xla),
    traits=Traits(costly=True),
)
expm1_of = expm1_p.of_arguments
log_p = unary(
    "Log",
    formulas.log,
    lambda x: reciprocal_p(x),
    traits=Traits(hazard=Hazard.LOGARITHM, costly=True),
)
log_of = log_p.of_arguments
log1p_p = unary(
    "Log1p",
    formulas.log1p,
    lambda x: reciprocal_p(1 + x),
    xla=in_float32(formulas.log1p_in_xla),
    traits=Traits(hazard=Hazard.DOMAIN, costly=True),
)
log1p_of = log1p_p.of_arguments
sigmoid_grad_p = product_with_slope(
    "SigmoidGrad",
    formulas.sigmoid_slope,
    lambda x: 1 - 2 * x,
    xla=lambda x, y: y * (x * (1 - x)),
)
sigmoid_p = unary(
    "Sigmoid",
    formulas.sigmoid,
    lambda out: formulas.sigmoid_slope(out),
    slope=sigmoid_grad_p,
    xla=in_float32(formulas.sigmoid_in_xla),
    traits=Traits(costly=True),
)
sigmoid_of = sigmoid_p.of_arguments
softplus_p = unary(
    "Softplus",
    formulas.softplus,
    lambda x: sigmoid_p(x),
    FLOATING,
    xla=in_float32(formulas.softplus_in_xla),
    traits=COSTLY,
)


@export("exp", "math.exp")
@raw_op("Exp")
def exp(x: Any, name: str | None = None) -> Tensor:
    """Returns the exponential function, elementwise.

    Args:
      x: A floating or complex tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: The dtype of `x` is not supported.

    >>> tf.exp([0.0, 1.0]).numpy().round(4)
    array([1.    , 2.7183], dtype=float32)
    """
    return exp_of(x)


@export("math.expm1")
@raw_op("Expm1")
def expm1(x: Any, name: str | None = None) -> Tensor:
    """Returns `exp(x) - 1`, elementwise and accurate near 0.

    Args:
      x: A floating or complex tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: The dtype of `x` is not supported.

    >>> tf.math.expm1([0.0, 1.0]).numpy().round(4)
    array([0.    , 1.7183], dtype=float32)
    """
    return expm1_of(x)


@export("math.log")
@raw_op("Log")
def log(x: Any, name: str | None = None) -> Tensor:
    """Returns the natural logarithm, elementwise: -inf at 0, NaN for negative values.

    Args:
      x: A floating or complex tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: The dtype of `x` is not supported.

    >>> tf.math.log([1.0, 2.0]).numpy().round(4)
    array([0.    , 0.6931], dtype=float32)
    """
    return log_of(x)


@export("math.log1p")
@raw_op("Log1p")
def log1p(x: Any, name: str | None = None) -> Tensor:
    """Returns `log(1 + x)`, elementwise and accurate near 0.

    Args:
      x: A floating or complex tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: The dtype of `x` is not supported.

    >>> tf.math.log1p([0.0, 1.0]).numpy().round(4)
    array([0.    , 0.6931], dtype=float32)
    """
    return log1p_of(x)


@export("math.log_sigmoid")
def log_sigmoid(x: Any, name: str | None = None) -> Tensor:
    """Returns `log(sigmoid(x))`, elementwise: `-softplus(-x)`, which does not underflow.

    Args:
      x: A floating-point tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: The dtype of `x` is not supported.

    >>> tf.math.log_sigmoid([0.0, 2.0]).numpy().round(4)
    array([-0.6931, -0.1269], dtype=float32)
    """
    return neg_p(softplus_p(neg_p(tensor(x))))


@export("sigmoid", "math.sigmoid", "nn.sigmoid", direct=True)
@raw_op("Sigmoid")
def sigmoid(x: Any, name: str | None = None) -> Tensor:
    """Returns the logistic function `1 / (1 + exp(-x))`, elementwise.

    Args:
      x: A floating or complex tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: The dtype of `x` is not supported.

    >>> tf.sigmoid([0.0, 2.0]).numpy().round(4)
    array([0.5   , 0.8808], dtype=float32)
    """
    return sigmoid_of(x)


raw_gradient(sigmoid_p, "SigmoidGrad", kept="y", cotangent="dy", conjugate=False)


def keeps_sigmoid(x: Any) -> bool:
    """Whether a tape should keep the sigmoid; XLA computes it faster than NumPy reads it."""
    large = type(x) is _ndarray and x.size >= _LARGE and x.dtype.type in _WIDE
    return large and not Engine.is_xla and active_tapes() is not None


def _silu_and_sigmoid(x: Any) -> Any:
    return formulas.silu_and_sigmoid(x)


def _silu_slope(y: Any, s: Any) -> Any:
    return s + y * (1 - s)


def _silu_vjp(g: Any, out: Any) -> Any:
    """Returns the cotangent, to which the sigmoid contributes in higher derivatives alone."""
    (to_y, to_s), (y, s) = g, out
    if to_y is None:
        return to_s * formulas.sigmoid_slope(s)
    if type(y) is type(to_y) is _ndarray:
        total = times_slope(to_y, formulas.silu_slope_of(y, s))
    else:
        total = to_y * _silu_slope(y, s)
    return total if to_s is None else total + to_s * formulas.sigmoid_slope(s)


def _silu_jvp(t: Any, out: Any) -> Any:
    y, s = out
    return t * _silu_slope(y, s), t * formulas.sigmoid_slope(s)


silu_and_sigmoid_p: BoundOutputs[tuple[Tensor, Tensor]] = several(
    2,
    general(
        "SiluAndSigmoid",
        _silu_and_sigmoid,
        {"x": _silu_vjp},
        jvps={"x": _silu_jvp},
        batching="leading",
        dtypes=_WIDE,
        xla=lambda x: (formulas.silu_in_xla(x), formulas.sigmoid_in_xla(x)),
    ),
    needed=0,
)
"""SiLU and the sigmoid in it.

A tape keeps these two rather than the input, so that the gradient has no exponential. The next
operation mostly keeps the result, too.
"""
