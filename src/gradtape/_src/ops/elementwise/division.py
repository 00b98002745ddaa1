"""Quotients and remainders."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import dtype_of
from gradtape._src.base.error_messages import without_kernel
from gradtape._src.base.errors import InvalidArgumentError
from gradtape._src.base.export import export, export_value, raw_op
from gradtape._src.compute import formulas
from gradtape._src.compute.jax_modules import jnp, lax
from gradtape._src.core.convert import tensor
from gradtape._src.core.primitive import Bound
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.general import INEXACT, REAL
from gradtape._src.declare.pointwise import binary, unary
from gradtape._src.declare.same_dtype import gives_way, pair
from gradtape._src.declare.traits import Hazard, Traits
from gradtape._src.ops.elementwise.casting import cast_p
from gradtape._src.ops.elementwise.raw_gradients import raw_gradient

_ndarray = np.ndarray
div_p = binary(
    "RealDiv",
    operator.truediv,
    lambda y: 1 / y,
    lambda y, out: -out / y,
    INEXACT,
    traits=Traits(hazard=Hazard.DIVISION),
)
div_of = div_p.of_arguments
reciprocal_p = unary(
    "Reciprocal",
    lambda x: 1 / x,
    lambda out: -(out * out),
    guarded=True,
    xla=lambda x: 1 / x,
    traits=Traits(hazard=Hazard.INVERSE),
)
reciprocal_of = reciprocal_p.of_arguments


def _whole(kernel: Any, name: str) -> Any:
    """Returns a kernel of integer division that raises an error for a divisor of 0.

    NumPy would warn and return 0.
    """

    def divide(x: Any, y: Any) -> Any:
        if y.dtype.kind in "iu" and not np.all(y):
            raise InvalidArgumentError(
                None, None, f"Integer division by zero [Op:{name}] (mask or clip the divisor `y`)"
            )
        return kernel(x, y)

    return divide


def _truncated_quotient(x: Any, y: Any) -> Any:
    if x.dtype.kind in "iu":
        return (x - np.fmod(x, y)) // y
    return np.trunc(x / y)


def _floor_quotient(x: Any, y: Any) -> Any:
    """Returns floor(x / y).

    NumPy's `floor_divide` gives NaN for infinities, and 9 for 1 // 0.1.
    """
    return np.floor_divide(x, y) if x.dtype.kind in "iu" else np.floor(x / y)


def _floor_quotient_in_xla(x: Any, y: Any) -> Any:
    """Returns floor(x / y), since JAX's `floor_divide` gives NaN for infinities."""
    whole = jnp.issubdtype(x.dtype, np.integer)
    return jnp.floor_divide(x, y) if whole else jnp.floor(x / y)


def _truncated_quotient_in_xla(x: Any, y: Any) -> Any:
    if x.dtype.kind in "iu":
        return lax.div(*jnp.broadcast_arrays(x, y))
    return jnp.trunc(x / y)


floordiv_p = binary(
    "FloorDiv",
    _whole(_floor_quotient, "FloorDiv"),
    None,
    None,
    REAL,
    xla=_floor_quotient_in_xla,
    traits=Traits(hazard=Hazard.DIVISION),
)
floordiv_of = floordiv_p.of_arguments
mod_p = binary(
    "FloorMod",
    _whole(np.mod, "FloorMod"),
    1,
    lambda x, y: -floordiv_p(x, y),
    REAL,
    xla=lambda x, y: jnp.mod(x, y),
    traits=Traits(hazard=Hazard.DIVISION),
)
mod_of = mod_p.of_arguments
truncatediv_p = binary(
    "TruncateDiv",
    _whole(_truncated_quotient, "TruncateDiv"),
    None,
    None,
    REAL,
    xla=_truncated_quotient_in_xla,
    traits=Traits(hazard=Hazard.DIVISION),
)
truncatediv_of = truncatediv_p.of_arguments
truncatemod_p = binary(
    "TruncateMod",
    _whole(np.fmod, "TruncateMod"),
    1,
    lambda x, y: -truncatediv_p(x, y),
    REAL,
    xla=lambda x, y: lax.rem(*jnp.broadcast_arrays(x, y)),
    traits=Traits(hazard=Hazard.DIVISION),
)
truncatemod_of = truncatemod_p.of_arguments


def _divide_no_nan(x: Any, y: Any) -> Any:
    if type(y) is not _ndarray:
        return x / y if y else x * 0 if np.all(np.isfinite(x)) else np.zeros_like(x)[()]
    zero = y == 0
    out = np.divide(x, y + zero if y.dtype.kind in "fc" else y)
    return formulas.select(_spread(zero, out), out.dtype.type(0), out) if zero.any() else out


def _spread(mask: Any, out: Any) -> Any:
    return mask if mask.shape == out.shape else np.broadcast_to(mask, out.shape)


def _divide_no_nan_in_xla(x: Any, y: Any) -> Any:
    zero = y == 0
    out = x / jnp.where(zero, jnp.ones_like(y), y)
    return jnp.where(zero, jnp.zeros_like(out), out)


div_no_nan_p: Bound = binary(
    "DivNoNan",
    _divide_no_nan,
    lambda y: reciprocal_no_nan_p(y),
    lambda y, out: 0 - div_no_nan_p(out, y),  # 0, not -0
    INEXACT,
    xla=_divide_no_nan_in_xla,
)
reciprocal_no_nan_p: Bound = unary(
    "ReciprocalNoNan",
    lambda x: _divide_no_nan(x.dtype.type(1), x),
    lambda out: -(out * out),
    xla=lambda x: _divide_no_nan_in_xla(jnp.ones_like(x), x),
)
reciprocal_no_nan_of = reciprocal_no_nan_p.of_arguments


@export("realdiv", direct=True)
@raw_op("RealDiv")
def realdiv(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns x / y, elementwise.

    Args:
      x: A floating or complex tensor.
      y: A tensor of the same dtype; shapes broadcast.
      name: Accepted for compatibility.

    Returns:
      A tensor of the broadcast shape.

    Raises:
      InvalidArgumentError: The dtypes differ or are not supported, or shapes do not broadcast.
    """
    return div_of(x, y)


@export("divide", "math.divide", direct=True)
def divide(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns x / y, elementwise; integers are converted to floats.

    Args:
      x: A numeric tensor.
      y: A tensor of the same dtype; shapes broadcast.
      name: Accepted for compatibility.

    Returns:
      A tensor of the broadcast shape. Its dtype is the inputs' dtype if that is floating or
      complex; integers of 8 or 16 bits give float32, larger ones float64.

    Raises:
      TypeError: The dtypes differ or are not numeric.

    >>> tf.divide([6, 7], [3, 2]).numpy()
    array([2. , 3.5])
    """
    return truediv(x, y)


@export("truediv", "math.truediv", direct=True)
def truediv(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns x / y, elementwise; integers are converted to floats.

    Args:
      x: A numeric tensor.
      y: A tensor of the same dtype; shapes broadcast.
      name: Accepted for compatibility.

    Returns:
      A tensor of the broadcast shape. Its dtype is the inputs' dtype if that is floating or
      complex; integers of 8 or 16 bits give float32, larger ones float64.

    Raises:
      TypeError: The dtypes differ or are not numeric.
    """
    return quotient(x, tensor(y) if gives_way(y) else y)


def quotient(x: Any, y: Any) -> Tensor:
    """Implements the operator `/`; returns NotImplemented if the class of `y` defines its own."""
    if (
        type(x) is Tensor
        and (kind := x._value.dtype).type in INEXACT
        and (type(y) is float or (type(y) is Tensor and y._value.dtype == kind))
    ):
        out: Tensor = div_p.operator(x, y)
        return out
    return NotImplemented if gives_way(y) else div_p(*_divisible(x, y))


def _divisible(x: Any, y: Any) -> tuple[Tensor, Tensor]:
    """Converts dividend and divisor to floats."""
    x, y = pair(x, y)
    kind, other = dtype_of(x._value), dtype_of(y._value)
    if kind is not other:
        raise TypeError(
            f"`x` and `y` must have the same dtype, got {kind!r} != {other!r}. (tf.cast one)"
        )
    if kind.is_floating or kind.is_complex:
        return x, y
    if not kind.is_integer:
        raise TypeError(
            f"Invalid dtype {kind!r} in __truediv__. Expected a numeric dtype (tf.cast converts)."
        )
    wide = np.dtype(np.float32 if kind.size < 4 else np.float64)
    return cast_p(x, dtype=wide), cast_p(y, dtype=wide)


@export("math.floordiv", direct=True)
@raw_op("FloorDiv")
def floordiv(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns x / y rounded down, elementwise. Not differentiable.

    Args:
      x: A real tensor.
      y: A tensor of the same dtype; shapes broadcast.
      name: Accepted for compatibility.

    Returns:
      A tensor of the broadcast shape.

    Raises:
      InvalidArgumentError: The dtypes differ or are not supported, shapes do not broadcast, or
        an integer is divided by 0.

    >>> tf.math.floordiv([7, -7], 2).numpy()
    array([ 3, -4], dtype=int32)
    """
    return floordiv_of(x, y)


@export("math.floormod", direct=True)
@raw_op("FloorMod")
def floormod(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns the remainder of the division that rounds down: it has the sign of `y`.

    Args:
      x: A real tensor.
      y: A tensor of the same dtype; shapes broadcast.
      name: Accepted for compatibility.

    Returns:
      A tensor of the broadcast shape.

    Raises:
      InvalidArgumentError: The dtypes differ or are not supported, shapes do not broadcast, or
        an integer is divided by 0.

    >>> tf.math.floormod([7, -7], 3).numpy()
    array([1, 2], dtype=int32)
    """
    return mod_of(x, y)


mod = floormod


@export("truncatediv")
@raw_op("TruncateDiv")
def truncatediv(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns x / y rounded towards 0, elementwise. Not differentiable.

    Args:
      x: A real tensor.
      y: A tensor of the same dtype; shapes broadcast.
      name: Accepted for compatibility.

    Returns:
      A tensor of the broadcast shape.

    Raises:
      InvalidArgumentError: The dtypes differ or are not supported, shapes do not broadcast, or
        an integer is divided by 0.
    """
    return truncatediv_of(x, y)


@raw_op("Div")
def _div(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns the quotient, rounded towards zero for integers."""
    return (truncatediv if tensor(x).dtype.is_integer else realdiv)(x, y)


@export("truncatemod")
@raw_op("TruncateMod")
def truncatemod(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns the remainder of the division that rounds towards 0: it has the sign of `x`.

    Args:
      x: A real tensor.
      y: A tensor of the same dtype; shapes broadcast.
      name: Accepted for compatibility.

    Returns:
      A tensor of the broadcast shape.

    Raises:
      InvalidArgumentError: The dtypes differ or are not supported, shapes do not broadcast, or
        an integer is divided by 0.
    """
    return truncatemod_of(x, y)


@export("math.reciprocal")
@raw_op("Reciprocal")
@raw_op("Inv")
def reciprocal(x: Any, name: str | None = None) -> Tensor:
    """Returns 1 / x, elementwise.

    Args:
      x: A floating or complex tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: The dtype of `x` is not supported.

    >>> tf.math.reciprocal([2.0, 4.0]).numpy()
    array([0.5 , 0.25], dtype=float32)
    """
    return reciprocal_of(x)


raw_gradient(reciprocal_p, "ReciprocalGrad", kept="y", cotangent="dy")


raw_gradient(reciprocal_p, "InvGrad", kept="y", cotangent="dy")


@export("math.reciprocal_no_nan")
def reciprocal_no_nan(x: Any, name: str | None = None) -> Tensor:
    """Returns 1 / x, elementwise, and 0 where x is 0.

    Args:
      x: A floating or complex tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: The dtype of `x` is not supported.
    """
    return reciprocal_no_nan_of(x)


@export("math.divide_no_nan")
@raw_op("DivNoNan")
def divide_no_nan(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns x / y, elementwise. Where y is 0, the result and both gradients are 0.

    Args:
      x: A numeric tensor.
      y: A tensor of the same dtype; shapes broadcast.
      name: Accepted for compatibility.

    Returns:
      A tensor of the broadcast shape. Integers are converted to floats as by `divide`.

    Raises:
      TypeError: The dtypes differ or are not numeric.

    >>> tf.math.divide_no_nan([3.0, 1.0], [2.0, 0.0]).numpy()
    array([1.5, 0. ], dtype=float32)
    """
    return div_no_nan_p(*_divisible(x, y))


export_value(mod, "math.mod")

_INTEGERS = frozenset({"int8", "int16", "int32", "int64"})
_COMPLEX = frozenset({"complex64", "complex128"})
without_kernel("Reciprocal", _INTEGERS)
without_kernel("RealDiv", _INTEGERS | {f"u{name}" for name in _INTEGERS})
without_kernel("FloorDiv", _COMPLEX)
without_kernel("TruncateDiv", _COMPLEX)
