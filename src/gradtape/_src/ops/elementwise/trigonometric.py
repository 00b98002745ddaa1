"""Trigonometric and hyperbolic functions and their inverses."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._src.base.export import export, raw_op
from gradtape._src.compute import formulas
from gradtape._src.core.primitive import Bound
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.general import FLOATING
from gradtape._src.declare.pointwise import binary, unary
from gradtape._src.declare.traits import Hazard, Traits
from gradtape._src.ops.elementwise.powers import rsqrt_p
from gradtape._src.ops.elementwise.raw_gradients import product_with_slope, raw_gradient

sin_p = unary("Sin", formulas.sin, lambda x: cos_p(x))
sin_of = sin_p.of_arguments
cos_p: Bound = unary("Cos", formulas.cos, lambda x: -sin_p(x))
cos_of = cos_p.of_arguments
tan_p = unary("Tan", formulas.tan, lambda out: 1 + out * out)
tan_of = tan_p.of_arguments
asin_p = unary("Asin", np.arcsin, lambda x: rsqrt_p(1 - x * x), traits=Traits(hazard=Hazard.DOMAIN))
asin_of = asin_p.of_arguments
acos_p = unary(
    "Acos", np.arccos, lambda x: -rsqrt_p(1 - x * x), traits=Traits(hazard=Hazard.DOMAIN)
)
acos_of = acos_p.of_arguments
atan_p = unary("Atan", np.arctan, lambda x: 1 / (1 + x * x))
atan_of = atan_p.of_arguments
sinh_p = unary("Sinh", formulas.sinh, lambda x: cosh_p(x))
sinh_of = sinh_p.of_arguments
cosh_p: Bound = unary("Cosh", formulas.cosh, lambda x: sinh_p(x))
cosh_of = cosh_p.of_arguments
tanh_grad_p = product_with_slope(
    "TanhGrad", formulas.less_square, lambda x: x * -2, xla=lambda x, y: y * (1 - x * x)
)
tanh_p = unary(
    "Tanh",
    formulas.tanh,
    lambda out: formulas.less_square(out),
    slope=tanh_grad_p,
    traits=Traits(costly=True),
)
tanh_of = tanh_p.of_arguments
asinh_p = unary("Asinh", np.arcsinh, lambda out: 1 / cosh_p(out))
asinh_of = asinh_p.of_arguments
acosh_p = unary(
    "Acosh", np.arccosh, lambda out: 1 / sinh_p(out), traits=Traits(hazard=Hazard.DOMAIN)
)
acosh_of = acosh_p.of_arguments
atanh_p = unary("Atanh", np.arctanh, lambda x: 1 / (1 - x * x), traits=Traits(hazard=Hazard.DOMAIN))
atanh_of = atanh_p.of_arguments
atan2_p = binary(
    "Atan2",
    np.arctan2,
    lambda x, y: y / (x * x + y * y),
    lambda x, y: -x / (x * x + y * y),
    FLOATING,
    traits=Traits(hazard=Hazard.DOMAIN),
)
atan2_of = atan2_p.of_arguments


@export("sin", "math.sin")
@raw_op("Sin")
def sin(x: Any, name: str | None = None) -> Tensor:
    """Returns the sine of an angle in radians, elementwise.

    Args:
      x: A floating or complex tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: The dtype of `x` is not supported.

    >>> tf.sin([0.0, np.pi / 2]).numpy().round(4)
    array([0., 1.], dtype=float32)
    """
    return sin_of(x)


@export("cos", "math.cos")
@raw_op("Cos")
def cos(x: Any, name: str | None = None) -> Tensor:
    """Returns the cosine of an angle in radians, elementwise.

    Args:
      x: A floating or complex tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: The dtype of `x` is not supported.

    >>> tf.cos([0.0, np.pi]).numpy().round(4)
    array([ 1., -1.], dtype=float32)
    """
    return cos_of(x)


@export("tan", "math.tan")
@raw_op("Tan")
def tan(x: Any, name: str | None = None) -> Tensor:
    """Returns the tangent of an angle in radians, elementwise.

    Args:
      x: A floating or complex tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: The dtype of `x` is not supported.

    >>> tf.tan([0.0, 1.0]).numpy().round(4)
    array([0.    , 1.5574], dtype=float32)
    """
    return tan_of(x)


@export("asin", "math.asin")
@raw_op("Asin")
def asin(x: Any, name: str | None = None) -> Tensor:
    """Returns the inverse sine in radians, elementwise.

    Args:
      x: A floating or complex tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: The dtype of `x` is not supported.

    >>> tf.asin([0.0, 1.0]).numpy().round(4)
    array([0.    , 1.5708], dtype=float32)
    """
    return asin_of(x)


@export("acos", "math.acos")
@raw_op("Acos")
def acos(x: Any, name: str | None = None) -> Tensor:
    """Returns the inverse cosine in radians, elementwise.

    Args:
      x: A floating or complex tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: The dtype of `x` is not supported.

    >>> tf.acos([1.0, 0.0]).numpy().round(4)
    array([0.    , 1.5708], dtype=float32)
    """
    return acos_of(x)


@export("atan", "math.atan")
@raw_op("Atan")
def atan(x: Any, name: str | None = None) -> Tensor:
    """Returns the inverse tangent in radians, elementwise.

    Args:
      x: A floating or complex tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: The dtype of `x` is not supported.

    >>> tf.atan([0.0, 1.0]).numpy().round(4)
    array([0.    , 0.7854], dtype=float32)
    """
    return atan_of(x)


@export("sinh", "math.sinh")
@raw_op("Sinh")
def sinh(x: Any, name: str | None = None) -> Tensor:
    """Returns the hyperbolic sine, elementwise.

    Args:
      x: A floating or complex tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: The dtype of `x` is not supported.

    >>> tf.sinh([0.0, 1.0]).numpy().round(4)
    array([0.    , 1.1752], dtype=float32)
    """
    return sinh_of(x)


@export("cosh", "math.cosh")
@raw_op("Cosh")
def cosh(x: Any, name: str | None = None) -> Tensor:
    """Returns the hyperbolic cosine, elementwise.

    Args:
      x: A floating or complex tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: The dtype of `x` is not supported.

    >>> tf.cosh([0.0, 1.0]).numpy().round(4)
    array([1.    , 1.5431], dtype=float32)
    """
    return cosh_of(x)


@export("tanh", "math.tanh", "nn.tanh")
@raw_op("Tanh")
def tanh(x: Any, name: str | None = None) -> Tensor:
    """Returns the hyperbolic tangent, elementwise.

    Args:
      x: A floating or complex tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: The dtype of `x` is not supported.

    >>> tf.tanh([0.0, 1.0]).numpy().round(4)
    array([0.    , 0.7616], dtype=float32)
    """
    return tanh_of(x)


raw_gradient(tanh_p, "TanhGrad", kept="y", cotangent="dy", conjugate=False)


@export("asinh", "math.asinh")
@raw_op("Asinh")
def asinh(x: Any, name: str | None = None) -> Tensor:
    """Returns the inverse hyperbolic sine, elementwise.

    Args:
      x: A floating or complex tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: The dtype of `x` is not supported.
    """
    return asinh_of(x)


@export("acosh", "math.acosh")
@raw_op("Acosh")
def acosh(x: Any, name: str | None = None) -> Tensor:
    """Returns the inverse hyperbolic cosine, elementwise: NaN below 1.

    Args:
      x: A floating or complex tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: The dtype of `x` is not supported.
    """
    return acosh_of(x)


@export("atanh", "math.atanh")
@raw_op("Atanh")
def atanh(x: Any, name: str | None = None) -> Tensor:
    """Returns the inverse hyperbolic tangent, elementwise.

    Args:
      x: A floating or complex tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: The dtype of `x` is not supported.

    >>> tf.atanh([0.0, 0.5]).numpy().round(4)
    array([0.    , 0.5493], dtype=float32)
    """
    return atanh_of(x)


@export("atan2", "math.atan2")
@raw_op("Atan2")
def atan2(y: Any, x: Any, name: str | None = None) -> Tensor:
    """Returns the angle of the point (x, y) in radians, elementwise, between -pi and pi.

    Args:
      y: A floating-point tensor.
      x: A tensor of the same dtype; shapes broadcast.
      name: Accepted for compatibility.

    Returns:
      A tensor of the broadcast shape.

    Raises:
      InvalidArgumentError: The dtypes differ or are not supported, or shapes do not broadcast.

    >>> tf.atan2([1.0, -1.0], [1.0, -1.0]).numpy().round(4)
    array([ 0.7854, -2.3562], dtype=float32)
    """
    return atan2_of(y, x)
