"""Error functions, the normal distribution, and functions such as `xlogy` that are 0 for x = 0."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape._src.base.export import export, raw_op
from gradtape._src.compute.formulas import in_single_2, number, scipy
from gradtape._src.compute.gelu import normal_in_xla
from gradtape._src.compute.jax_modules import jax_special, jnp
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.primitive import Bound
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.general import FLOATING, INEXACT
from gradtape._src.declare.pointwise import binary, unary
from gradtape._src.declare.traits import COSTLY, Hazard, Traits
from gradtape._src.declare.xla_kernels import in_float32
from gradtape._src.declare.xla_kernels import number as scalar
from gradtape._src.ops.elementwise.comparison import not_zero_p
from gradtape._src.ops.elementwise.exponential import exp_p
from gradtape._src.ops.elementwise.powers import square_p


def _gauss(x: Any, factor: float, rate: float) -> Any:
    """Returns `factor * exp(rate * x**2)`."""
    return number(factor, x) * exp_p(number(rate, x) * square_p(x))


def _erf_in_xla(x: Any) -> Any:
    return jax_special.erf(x)


def _erfc_in_xla(x: Any) -> Any:
    return jax_special.erfc(x)


erf_p = unary(
    "Erf",
    scipy("erf"),
    lambda x: _gauss(x, 2 / math.sqrt(math.pi), -1),
    FLOATING,
    xla=in_float32(_erf_in_xla),
    traits=COSTLY,
)
erf_of = erf_p.of_arguments
erfc_p = unary(
    "Erfc",
    scipy("erfc"),
    lambda x: _gauss(x, -2 / math.sqrt(math.pi), -1),
    FLOATING,
    xla=in_float32(_erfc_in_xla),
    traits=COSTLY,
)
erfc_of = erfc_p.of_arguments
erfinv_p = unary(
    "Erfinv",
    scipy("erfinv"),
    lambda out: _gauss(out, math.sqrt(math.pi) / 2, 1),
    FLOATING,
    xla=in_float32(lambda x: jax_special.erfinv(x)),
    traits=Traits(hazard=Hazard.DOMAIN),
)
erfinv_of = erfinv_p.of_arguments
ndtri_p = unary(
    "Ndtri",
    scipy("ndtri"),
    lambda out: _gauss(out, math.sqrt(2 * math.pi), 0.5),
    FLOATING,
    xla=in_float32(lambda x: jax_special.ndtri(x)),
    traits=Traits(hazard=Hazard.DOMAIN),
)
ndtri_of = ndtri_p.of_arguments

# The cumulative normal distribution, which activations such as GELU use.
ndtr_p = unary(
    "Ndtr",
    scipy("ndtr"),
    lambda x: _gauss(x, 1 / math.sqrt(2 * math.pi), -0.5),
    xla=in_float32(normal_in_xla),
    traits=COSTLY,
)


def _unless_zero(kernel: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Returns a kernel whose result is 0 where its first input is 0."""

    @in_single_2
    def run(x: Any, y: Any) -> Any:
        out = kernel(x, y)
        zero = x == 0
        return np.where(zero, out.dtype.type(0), out)[()] if np.any(zero) else out

    return run


def _unless_zero_in_xla(kernel: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def run(x: Any, y: Any) -> Any:
        zero = x == 0
        safe = jnp.where(zero, scalar(1, y), y)
        out = kernel(x, safe)
        return jnp.where(zero, jnp.zeros_like(out), out)

    return run


xlogy_p: Bound = binary(
    "Xlogy",
    _unless_zero(lambda x, y: x * np.log(y)),
    lambda x, y: xlogy_p(not_zero_p(x), y),
    lambda x, y: xdivy_p(x, y),
    INEXACT,
    xla=in_float32(_unless_zero_in_xla(lambda x, y: x * jnp.log(y))),
    traits=Traits(hazard=Hazard.LOGARITHM),
)
xlogy_of = xlogy_p.of_arguments
xdivy_p: Bound = binary(
    "Xdivy",
    _unless_zero(lambda x, y: x / y),
    lambda x, y: xdivy_p(not_zero_p(x), y),
    lambda x, y: -xdivy_p(x, square_p(y)),
    INEXACT,
    xla=in_float32(_unless_zero_in_xla(lambda x, y: x / y)),
    traits=Traits(hazard=Hazard.DIVISION),
)
xdivy_of = xdivy_p.of_arguments
xlog1py_p: Bound = binary(
    "Xlog1py",
    _unless_zero(lambda x, y: x * np.log1p(y)),
    lambda x, y: xlog1py_p(not_zero_p(x), y),
    lambda x, y: xdivy_p(x, 1 + y),
    INEXACT,
    xla=in_float32(_unless_zero_in_xla(lambda x, y: x * jnp.log1p(y))),
    traits=Traits(hazard=Hazard.DOMAIN),
)
xlog1py_of = xlog1py_p.of_arguments


@export("math.erf")
@raw_op("Erf")
def erf(x: Any, name: str | None = None) -> Tensor:
    """Returns the error function, elementwise.

    Args:
      x: A floating-point tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: The dtype of `x` is not supported.

    >>> tf.math.erf([0.0, 1.0]).numpy().round(4)
    array([0.    , 0.8427], dtype=float32)
    """
    return erf_of(x)


@export("math.erfc")
@raw_op("Erfc")
def erfc(x: Any, name: str | None = None) -> Tensor:
    """Returns the complementary error function `1 - erf(x)`, elementwise.

    Args:
      x: A floating-point tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: The dtype of `x` is not supported.

    >>> tf.math.erfc([0.0, 1.0]).numpy().round(4)
    array([1.    , 0.1573], dtype=float32)
    """
    return erfc_of(x)


@export("math.erfinv")
@raw_op("Erfinv")
def erfinv(x: Any, name: str | None = None) -> Tensor:
    """Returns the inverse of the error function, elementwise.

    Args:
      x: A floating-point tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: The dtype of `x` is not supported.

    >>> tf.math.erfinv([0.0, 0.5]).numpy().round(4)
    array([0.    , 0.4769], dtype=float32)
    """
    return erfinv_of(x)


@export("math.erfcinv")
def erfcinv(x: Any, name: str | None = None) -> Tensor:
    """Returns the inverse of the complementary error function, elementwise.

    Args:
      x: A floating-point tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: The dtype of `x` is not supported.
    """
    x = tensor(x)
    return ndtri_p(x * convert_to_tensor(0.5, x.dtype)) * number(-math.sqrt(0.5), x)


@export("math.ndtri")
@raw_op("Ndtri")
def ndtri(x: Any, name: str | None = None) -> Tensor:
    """Returns the inverse of the normal distribution function, elementwise.

    Args:
      x: A floating-point tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: The dtype of `x` is not supported.
    """
    return ndtri_of(x)


@export("math.xlogy")
@raw_op("Xlogy")
def xlogy(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns `x * log(y)`, elementwise. Where x is 0, the result and the gradients are 0.

    Args:
      x: A floating or complex tensor.
      y: A tensor of the same dtype; shapes broadcast.
      name: Accepted for compatibility.

    Returns:
      A tensor of the broadcast shape.

    Raises:
      InvalidArgumentError: The dtypes differ or are not supported, or shapes do not broadcast.
    """
    return xlogy_of(x, y)


@export("math.xdivy")
@raw_op("Xdivy")
def xdivy(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns `x / y`, elementwise. Where x is 0, the result and the gradients are 0.

    Args:
      x: A floating or complex tensor.
      y: A tensor of the same dtype; shapes broadcast.
      name: Accepted for compatibility.

    Returns:
      A tensor of the broadcast shape.

    Raises:
      InvalidArgumentError: The dtypes differ or are not supported, or shapes do not broadcast.
    """
    return xdivy_of(x, y)


@export("math.xlog1py")
@raw_op("Xlog1py")
def xlog1py(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns `x * log(1 + y)`, elementwise. Where x is 0, the result and the gradients are 0.

    Args:
      x: A floating or complex tensor.
      y: A tensor of the same dtype; shapes broadcast.
      name: Accepted for compatibility.

    Returns:
      A tensor of the broadcast shape.

    Raises:
      InvalidArgumentError: The dtypes differ or are not supported, or shapes do not broadcast.
    """
    return xlog1py_of(x, y)
