"""Squares, powers, roots and polynomials."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._src.base.export import export, raw_op
from gradtape._src.compute import formulas
from gradtape._src.compute.jax_modules import jnp, lax
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.primitive import Bound
from gradtape._src.core.tensor import Tensor, TensorLike
from gradtape._src.declare.general import INEXACT, NUMERIC, SIGNED
from gradtape._src.declare.pointwise import binary, unary
from gradtape._src.declare.same_dtype import gives_way, pair
from gradtape._src.declare.traits import Hazard, Traits
from gradtape._src.ops.elementwise.raw_gradients import raw_gradient

_ndarray = np.ndarray
square_p = unary("Square", lambda x: x * x, lambda x: 2 * x, NUMERIC, xla=lambda x: jnp.square(x))
square_of = square_p.of_arguments


def _squared_difference_in_xla(x: Any, y: Any) -> Any:
    d = x - y
    return d * jnp.conj(d) if d.dtype.kind == "c" else d * d


squared_difference_p = binary(
    "SquaredDifference",
    lambda x, y: _squared_difference(x, y),
    lambda x, y: 2 * (x - y),
    lambda x, y: 2 * (y - x),
    xla=_squared_difference_in_xla,
)
squared_difference_of = squared_difference_p.of_arguments


def _squared_difference(x: Any, y: Any) -> Any:
    d = x - y
    return d * np.conjugate(d) if d.dtype.kind == "c" else d * d


_SMALL = {2, 3, 4}


def _pow(x: Any, y: Any) -> Any:
    if type(x) is not _ndarray:
        return np.power(x, y) if type(y) is _ndarray else _scalar_pow(x, y)
    if y.size == 1 and y.dtype.kind == "f" and y.ndim <= x.ndim and x.dtype.itemsize > 2:
        n = float(y.item())
        if n in _SMALL:
            square = x * x
            return square if n == 2 else square * (x if n == 3 else square)
        if n == 1:
            return x
        if n == 0.5:  # np.power computes the square root, which is NaN for -inf and -0 for -0.
            root = np.sqrt(x) + y.dtype.type(0)
            return (
                np.where(x == -np.inf, x.dtype.type(np.inf), root) if np.isnan(root).any() else root
            )
        if n == -1:
            return 1 / x
    return np.power(x, y)


def _scalar_pow(x: Any, y: Any) -> Any:
    return x**y if x.dtype.kind in "fc" else np.power(x, y)


_POWERS = (-1.0, 1.0, 2.0, 3.0, 4.0)


def _pow_in_xla(x: Any, y: Any) -> Any:
    if isinstance(y, (np.ndarray, np.generic)) and y.size == 1 and x.dtype.kind in "fc":
        n = float(np.real(y).item())
        if n in _POWERS and np.imag(y).item() == 0:
            out = lax.integer_pow(x, int(n))
            return jnp.broadcast_to(out, np.broadcast_shapes(x.shape, y.shape))
    return jnp.power(x, y)


pow_p: Bound = binary(
    "Pow",
    _pow,
    lambda x, y: y * pow_p(x, y - 1),
    lambda x, out: out * safe_log_p(x),
    INEXACT | SIGNED,
    xla=_pow_in_xla,
    traits=Traits(hazard=Hazard.POWER),
)


def _safe_log(x: Any) -> Any:
    if x.dtype.kind == "c":
        zero = x == 0
        return np.where(zero, x.dtype.type(0), np.log(x + zero))[()]
    positive = x > 0
    if type(x) is not _ndarray:
        return np.log(x) if positive else x.dtype.type(0)
    return formulas.select(
        positive, np.log(formulas.select(positive, x, x.dtype.type(1))), x.dtype.type(0)
    )


def _safe_reciprocal(x: Any) -> Any:
    positive = x != 0 if x.dtype.kind == "c" else x > 0
    if type(x) is not _ndarray:
        return 1 / x if positive else x.dtype.type(0)
    return np.divide(positive, np.where(positive, x, x.dtype.type(1)), dtype=x.dtype)


def _safe_log_in_xla(x: Any) -> Any:
    ok = x != 0 if x.dtype.kind == "c" else x > 0
    return jnp.where(ok, jnp.log(jnp.where(ok, x, jnp.ones_like(x))), jnp.zeros_like(x))


def _safe_reciprocal_in_xla(x: Any) -> Any:
    ok = x != 0 if x.dtype.kind == "c" else x > 0
    return jnp.where(ok, 1 / jnp.where(ok, x, jnp.ones_like(x)), jnp.zeros_like(x))


# log(x) and 1 / x where x > 0 (x != 0 if complex), and 0 elsewhere. These are factors of the
# derivative of a power with respect to its exponent.
safe_log_p: Bound = unary(
    "SafeLog", _safe_log, lambda x: safe_reciprocal_p(x), xla=_safe_log_in_xla
)
safe_reciprocal_p: Bound = unary(
    "SafeReciprocal", _safe_reciprocal, lambda out: -(out * out), xla=_safe_reciprocal_in_xla
)
sqrt_p = unary(
    "Sqrt", np.sqrt, lambda out: 1 / (out + out), guarded=True, traits=Traits(hazard=Hazard.ROOT)
)
sqrt_of = sqrt_p.of_arguments


def _rsqrt(x: Any) -> Any:
    return 1 / np.sqrt(x)


rsqrt_p = unary(
    "Rsqrt",
    _rsqrt,
    lambda out: -(out * out * out) / 2,
    guarded=True,
    xla=lambda x: lax.rsqrt(x),
    traits=Traits(hazard=Hazard.INVERSE_ROOT),
)
rsqrt_of = rsqrt_p.of_arguments


@export("square", "math.square", direct=True)
@raw_op("Square")
def square(x: Any, name: str | None = None) -> Tensor:
    """Returns x * x, elementwise.

    Args:
      x: A numeric tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: The dtype of `x` is not supported.

    >>> tf.square([2.0, -3.0]).numpy()
    array([4., 9.], dtype=float32)
    """
    return square_of(x)


@export("math.squared_difference", direct=True)
@raw_op("SquaredDifference")
def squared_difference(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns (x - y)**2, elementwise; |x - y|**2 for complex numbers.

    Args:
      x: A numeric tensor.
      y: A tensor of the same dtype; shapes broadcast.
      name: Accepted for compatibility.

    Returns:
      A tensor of the broadcast shape.

    Raises:
      InvalidArgumentError: The dtypes differ or are not supported, or shapes do not broadcast.

    >>> tf.math.squared_difference([1.0, 2.0], [3.0, 5.0]).numpy()
    array([4., 9.], dtype=float32)
    """
    return squared_difference_of(x, y)


@export("pow", "math.pow", direct=True)
@raw_op("Pow")
def pow(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns x to the power y, elementwise.

    The gradient with respect to `y` is 0 where `x` is not positive. The gradient with respect to
    `x` is `y * x**(y - 1)`, which is NaN at 0**0.

    Args:
      x: A numeric tensor.
      y: A tensor of the same dtype; shapes broadcast.
      name: Accepted for compatibility.

    Returns:
      A tensor of the broadcast shape.

    Raises:
      InvalidArgumentError: The dtypes differ, shapes do not broadcast, or an integer has a
        negative exponent.

    >>> tf.pow([2, 3], [3, 2]).numpy()
    array([8, 9], dtype=int32)
    """
    return power(x, tensor(y) if gives_way(y) else y)


def power(x: Any, y: Any) -> Tensor:
    """Implements the operator `**`; returns NotImplemented if the class of `y` defines its own."""
    if (type(y) is int or type(y) is float) and isinstance(x, TensorLike):
        x = tensor(x)
        whole = x._value.dtype.kind in "iu"
        if y == 2 and (type(y) is int or not whole):
            return square_p(x)
        if not whole and -1024 < y < 1024:
            y = float(y)  # Converted constants are cached.
    return NotImplemented if gives_way(y) else pow_p(*pair(x, y))


@export("sqrt", "math.sqrt", direct=True)
@raw_op("Sqrt")
def sqrt(x: Any, name: str | None = None) -> Tensor:
    """Returns the square root, elementwise. Its derivative at 0 is infinite.

    Args:
      x: A floating or complex tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: The dtype of `x` is not supported.

    >>> tf.sqrt([4.0, 9.0]).numpy()
    array([2., 3.], dtype=float32)
    """
    return sqrt_of(x)


raw_gradient(sqrt_p, "SqrtGrad", kept="y", cotangent="dy")


@export("math.rsqrt", direct=True)
@raw_op("Rsqrt")
def rsqrt(x: Any, name: str | None = None) -> Tensor:
    """Returns the reciprocal of the square root, elementwise.

    Args:
      x: A floating or complex tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: The dtype of `x` is not supported.

    >>> tf.math.rsqrt([4.0, 16.0]).numpy()
    array([0.5 , 0.25], dtype=float32)
    """
    return rsqrt_of(x)


raw_gradient(rsqrt_p, "RsqrtGrad", kept="y", cotangent="dy")


@export("math.polyval")
def polyval(coeffs: Any, x: Any, name: str | None = None) -> Tensor:
    """Returns the value of a polynomial, by Horner's rule.

    Args:
      coeffs: A list of coefficients, beginning with the coefficient of the highest power.
      x: A tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the broadcast shape of `x` and the coefficients.

    Raises:
      ValueError: `coeffs` is not a list.
    """
    if not isinstance(coeffs, list):
        raise ValueError(f"Argument coeffs must be list type. Received type {type(coeffs)}.")
    at = tensor(x)
    if not coeffs:
        return Tensor(np.zeros_like(np.asarray(at._numpy()))[()])
    given = [convert_to_tensor(c, dtype_hint=at.dtype) for c in coeffs]
    out: Tensor = given[0]
    for c in given[1:]:
        out = c + out * at
    return out
