"""Elementary functions: exponentials, logarithms, trigonometry, rounding."""

from __future__ import annotations

from typing import Any

from gradtape._base.dtypes import dtype_of
from gradtape._core.convert import tensor
from gradtape._ops.elementwise import (
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
from gradtape._ops.operands import pair


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
