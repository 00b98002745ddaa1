"""Trigonometric and hyperbolic functions and their inverses."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._src.base.export import export, raw_op
from gradtape._src.compute import formulas
from gradtape._src.core.convert import tensor
from gradtape._src.core.primitive import Bound
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.general import FLOATING
from gradtape._src.declare.pointwise import binary, unary
from gradtape._src.declare.same_dtype import pair
from gradtape._src.declare.traits import Hazard, Traits
from gradtape._src.ops.elementwise.powers import rsqrt_p
from gradtape._src.ops.elementwise.raw_gradients import raw_gradient

sin_p = unary("Sin", formulas.sin, lambda x: cos_p(x))
cos_p: Bound = unary("Cos", formulas.cos, lambda x: -sin_p(x))
tan_p = unary("Tan", formulas.tan, lambda out: 1 + out * out)
asin_p = unary("Asin", np.arcsin, lambda x: rsqrt_p(1 - x * x), traits=Traits(hazard=Hazard.DOMAIN))
acos_p = unary(
    "Acos", np.arccos, lambda x: -rsqrt_p(1 - x * x), traits=Traits(hazard=Hazard.DOMAIN)
)
atan_p = unary("Atan", np.arctan, lambda x: 1 / (1 + x * x))
sinh_p = unary("Sinh", formulas.sinh, lambda x: cosh_p(x))
cosh_p: Bound = unary("Cosh", formulas.cosh, lambda x: sinh_p(x))
tanh_p = unary("Tanh", formulas.tanh, lambda out: formulas.less_square(out))
asinh_p = unary("Asinh", np.arcsinh, lambda out: 1 / cosh_p(out))
acosh_p = unary(
    "Acosh", np.arccosh, lambda out: 1 / sinh_p(out), traits=Traits(hazard=Hazard.DOMAIN)
)
atanh_p = unary("Atanh", np.arctanh, lambda x: 1 / (1 - x * x), traits=Traits(hazard=Hazard.DOMAIN))
atan2_p = binary(
    "Atan2",
    np.arctan2,
    lambda x, y: y / (x * x + y * y),
    lambda x, y: -x / (x * x + y * y),
    FLOATING,
    traits=Traits(hazard=Hazard.DOMAIN),
)


@export("sin", "math.sin")
@raw_op("Sin")
def sin(x: Any, name: str | None = None) -> Tensor:
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
def cos(x: Any, name: str | None = None) -> Tensor:
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
def tan(x: Any, name: str | None = None) -> Tensor:
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
def asin(x: Any, name: str | None = None) -> Tensor:
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
def acos(x: Any, name: str | None = None) -> Tensor:
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
def atan(x: Any, name: str | None = None) -> Tensor:
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
def sinh(x: Any, name: str | None = None) -> Tensor:
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
def cosh(x: Any, name: str | None = None) -> Tensor:
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
def tanh(x: Any, name: str | None = None) -> Tensor:
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
def asinh(x: Any, name: str | None = None) -> Tensor:
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
def acosh(x: Any, name: str | None = None) -> Tensor:
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
def atanh(x: Any, name: str | None = None) -> Tensor:
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


@export("atan2", "math.atan2")
@raw_op("Atan2")
def atan2(y: Any, x: Any, name: str | None = None) -> Tensor:
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
