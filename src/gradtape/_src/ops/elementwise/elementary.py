"""Elementary functions: exponentials, logarithms, trigonometry, rounding."""

from __future__ import annotations

from typing import Any

from gradtape._src.base.dtypes import dtype_of
from gradtape._src.base.export import export, raw_op
from gradtape._src.core.convert import tensor
from gradtape._src.declare.same_dtype import pair
from gradtape._src.ops.elementwise.primitives import (
    acos_p,
    acosh_p,
    asin_p,
    asinh_p,
    atan2_p,
    atan_p,
    atanh_p,
    ceil_p,
    cos_p,
    cosh_p,
    exp_p,
    expm1_p,
    floor_p,
    log1p_p,
    log_p,
    neg_p,
    rint_p,
    round_p,
    rsqrt_p,
    sigmoid_p,
    sin_p,
    sinh_p,
    softplus_p,
    sqrt_p,
    tan_p,
    tanh_p,
)
from gradtape._src.ops.elementwise.raw_gradients import raw_gradient


@export("exp", "math.exp")
@raw_op("Exp")
def exp(x: Any, name: str | None = None) -> Any:
    """The exponential function, elementwise.

    Args:
      x: A floating or complex tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: `x` has another dtype.
    """
    return exp_p(tensor(x))


@export("math.expm1")
@raw_op("Expm1")
def expm1(x: Any, name: str | None = None) -> Any:
    """`exp(x) - 1`, elementwise and accurate next to 0.

    Args:
      x: A floating or complex tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: `x` has another dtype.
    """
    return expm1_p(tensor(x))


@export("math.log")
@raw_op("Log")
def log(x: Any, name: str | None = None) -> Any:
    """The natural logarithm, elementwise: -inf at 0, NaN for negative values.

    Args:
      x: A floating or complex tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: `x` has another dtype.
    """
    return log_p(tensor(x))


@export("math.log1p")
@raw_op("Log1p")
def log1p(x: Any, name: str | None = None) -> Any:
    """`log(1 + x)`, elementwise and accurate next to 0.

    Args:
      x: A floating or complex tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: `x` has another dtype.
    """
    return log1p_p(tensor(x))


@export("sqrt", "math.sqrt")
@raw_op("Sqrt")
def sqrt(x: Any, name: str | None = None) -> Any:
    """The square root, elementwise. Its derivative at 0 is infinite.

    Args:
      x: A floating or complex tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: `x` has another dtype.
    """
    return sqrt_p(tensor(x))


raw_gradient(sqrt_p, "SqrtGrad", kept="y", cotangent="dy")


@export("math.rsqrt")
@raw_op("Rsqrt")
def rsqrt(x: Any, name: str | None = None) -> Any:
    """The reciprocal of the square root, elementwise.

    Args:
      x: A floating or complex tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: `x` has another dtype.
    """
    return rsqrt_p(tensor(x))


raw_gradient(rsqrt_p, "RsqrtGrad", kept="y", cotangent="dy")


@export("math.log_sigmoid")
def log_sigmoid(x: Any, name: str | None = None) -> Any:
    """`log(sigmoid(x))`, elementwise: `-softplus(-x)`, which does not underflow.

    Args:
      x: A floating tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: `x` has another dtype.
    """
    return neg_p(softplus_p(neg_p(tensor(x))))


@export("sigmoid", "math.sigmoid", "nn.sigmoid")
@raw_op("Sigmoid")
def sigmoid(x: Any, name: str | None = None) -> Any:
    """The logistic function `1 / (1 + exp(-x))`, elementwise.

    Args:
      x: A floating or complex tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: `x` has another dtype.
    """
    return sigmoid_p(tensor(x))


raw_gradient(sigmoid_p, "SigmoidGrad", kept="y", cotangent="dy", conjugate=False)


@export("sin", "math.sin")
@raw_op("Sin")
def sin(x: Any, name: str | None = None) -> Any:
    """The sine of an angle in radians, elementwise.

    Args:
      x: A floating or complex tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: `x` has another dtype.
    """
    return sin_p(tensor(x))


@export("cos", "math.cos")
@raw_op("Cos")
def cos(x: Any, name: str | None = None) -> Any:
    """The cosine of an angle in radians, elementwise.

    Args:
      x: A floating or complex tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: `x` has another dtype.
    """
    return cos_p(tensor(x))


@export("tan", "math.tan")
@raw_op("Tan")
def tan(x: Any, name: str | None = None) -> Any:
    """The tangent of an angle in radians, elementwise.

    Args:
      x: A floating or complex tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: `x` has another dtype.
    """
    return tan_p(tensor(x))


@export("asin", "math.asin")
@raw_op("Asin")
def asin(x: Any, name: str | None = None) -> Any:
    """The inverse sine in radians, elementwise.

    Args:
      x: A floating or complex tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: `x` has another dtype.
    """
    return asin_p(tensor(x))


@export("acos", "math.acos")
@raw_op("Acos")
def acos(x: Any, name: str | None = None) -> Any:
    """The inverse cosine in radians, elementwise.

    Args:
      x: A floating or complex tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: `x` has another dtype.
    """
    return acos_p(tensor(x))


@export("atan", "math.atan")
@raw_op("Atan")
def atan(x: Any, name: str | None = None) -> Any:
    """The inverse tangent in radians, elementwise.

    Args:
      x: A floating or complex tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: `x` has another dtype.
    """
    return atan_p(tensor(x))


@export("sinh", "math.sinh")
@raw_op("Sinh")
def sinh(x: Any, name: str | None = None) -> Any:
    """The hyperbolic sine, elementwise.

    Args:
      x: A floating or complex tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: `x` has another dtype.
    """
    return sinh_p(tensor(x))


@export("cosh", "math.cosh")
@raw_op("Cosh")
def cosh(x: Any, name: str | None = None) -> Any:
    """The hyperbolic cosine, elementwise.

    Args:
      x: A floating or complex tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: `x` has another dtype.
    """
    return cosh_p(tensor(x))


@export("tanh", "math.tanh", "nn.tanh")
@raw_op("Tanh")
def tanh(x: Any, name: str | None = None) -> Any:
    """The hyperbolic tangent, elementwise.

    Args:
      x: A floating or complex tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: `x` has another dtype.
    """
    return tanh_p(tensor(x))


raw_gradient(tanh_p, "TanhGrad", kept="y", cotangent="dy", conjugate=False)


@export("asinh", "math.asinh")
@raw_op("Asinh")
def asinh(x: Any, name: str | None = None) -> Any:
    """The inverse hyperbolic sine, elementwise.

    Args:
      x: A floating or complex tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: `x` has another dtype.
    """
    return asinh_p(tensor(x))


@export("acosh", "math.acosh")
@raw_op("Acosh")
def acosh(x: Any, name: str | None = None) -> Any:
    """The inverse hyperbolic cosine, elementwise: NaN below 1.

    Args:
      x: A floating or complex tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: `x` has another dtype.
    """
    return acosh_p(tensor(x))


@export("atanh", "math.atanh")
@raw_op("Atanh")
def atanh(x: Any, name: str | None = None) -> Any:
    """The inverse hyperbolic tangent, elementwise.

    Args:
      x: A floating or complex tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: `x` has another dtype.
    """
    return atanh_p(tensor(x))


@export("floor", "math.floor")
@raw_op("Floor")
def floor(x: Any, name: str | None = None) -> Any:
    """The greatest integer that is not above, elementwise. Not differentiable.

    Args:
      x: A floating tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: `x` has another dtype.
    """
    return floor_p(tensor(x))


@export("math.ceil")
@raw_op("Ceil")
def ceil(x: Any, name: str | None = None) -> Any:
    """The least integer that is not below, elementwise. Not differentiable.

    Args:
      x: A floating tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: `x` has another dtype.
    """
    return ceil_p(tensor(x))


@export("math.rint")
@raw_op("Rint")
def rint(x: Any, name: str | None = None) -> Any:
    """The nearest integer, to the even one from halfway. Not differentiable.

    Args:
      x: A floating tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: `x` has another dtype.
    """
    return rint_p(tensor(x))


@export("round", "math.round")
@raw_op("Round")
def round(x: Any, name: str | None = None) -> Any:
    """The nearest integer, elementwise, to the even one from halfway. Not differentiable.

    Args:
      x: A numeric tensor; integers come back as they are.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: `x` is not numeric.
    """
    x = tensor(x)
    return x if dtype_of(x._value).is_integer else round_p(x)


@export("atan2", "math.atan2")
@raw_op("Atan2")
def atan2(y: Any, x: Any, name: str | None = None) -> Any:
    """The angle of the point (x, y) in radians, elementwise, between -pi and pi.

    Args:
      y: A floating tensor.
      x: A tensor of the same dtype; shapes broadcast.
      name: Accepted for compatibility.

    Returns:
      A tensor of the broadcast shape.

    Raises:
      InvalidArgumentError: The dtypes differ or are not supported, or shapes do not broadcast.
    """
    return atan2_p(*pair(y, x))
