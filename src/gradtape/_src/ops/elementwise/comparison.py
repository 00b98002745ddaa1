"""Compares numbers, and tests for infinity and NaN."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from gradtape._src.base.export import export, raw_op
from gradtape._src.core.primitive import Bound, bind_binary
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.general import FLOATING, REAL, shape_of
from gradtape._src.declare.pointwise import Binary, binary, unary
from gradtape._src.declare.same_dtype import operands, pair
from gradtape._src.declare.unknown_sizes import UnknownRank, broadcast_shapes

less_p = binary("Less", operator.lt, None, None, REAL)
less_of = less_p.of_arguments
less_equal_p = binary("LessEqual", operator.le, None, None, REAL)
less_equal_of = less_equal_p.of_arguments
greater_p = binary("Greater", operator.gt, None, None, REAL)
greater_of = greater_p.of_arguments
greater_equal_p = binary("GreaterEqual", operator.ge, None, None, REAL)
greater_equal_of = greater_equal_p.of_arguments
equal_p = binary("Equal", operator.eq, None, None, None)
equal_of = equal_p.of_arguments
not_equal_p = binary("NotEqual", operator.ne, None, None, None)
not_equal_of = not_equal_p.of_arguments
is_nan_p = unary("IsNan", np.isnan, None, FLOATING)
is_nan_of = is_nan_p.of_arguments
is_inf_p = unary("IsInf", np.isinf, None, FLOATING)
is_inf_of = is_inf_p.of_arguments
is_finite_p = unary("IsFinite", np.isfinite, None, FLOATING)
is_finite_of = is_finite_p.of_arguments


def _or_else(strict: Any, otherwise: bool) -> Bound:
    """Declares a comparison that is one truth value if the shapes turn out not to broadcast."""

    def compare(x: Any, y: Any) -> Any:
        try:
            return strict.kernel(x, y)
        except ValueError:
            return np.bool_(otherwise)

    primitive = Binary(strict.name, compare, (None, None), None)
    primitive.xla, primitive.traits = strict.kernel, strict.traits  # XLA knows all shapes
    return bind_binary(primitive, [None] * 4, operands, pair)


_equal_or_false_p = _or_else(equal_p.primitive, False)
_not_equal_or_true_p = _or_else(not_equal_p.primitive, True)


def compared(x: Tensor, y: Tensor, different: bool) -> Tensor:
    """Compares elementwise, or returns one truth value if the shapes don't broadcast.

    If a graph knows the ranks, lengths that it does not know have to broadcast when it runs: the
    result would have another rank.

    Args:
      x: A tensor.
      y: A tensor of the same dtype.
      different: Whether to ask if they are different, rather than equal.
    """
    shapes = shape_of(x), shape_of(y)
    try:
        broadcast_shapes(*shapes)
    except ValueError:
        if x.dtype is y.dtype:
            return Tensor(np.bool_(different))
    if UnknownRank in (type(shapes[0]), type(shapes[1])):
        return (_not_equal_or_true_p if different else _equal_or_false_p)(x, y)
    return (not_equal_p if different else equal_p)(x, y)


def _not_zero(x: Any) -> Any:
    return (x != 0).astype(x.dtype)


def _is_zero(x: Any) -> Any:
    return (x == 0).astype(x.dtype)


not_zero_p: Bound = unary("NotZero", _not_zero, None, xla=_not_zero)
is_zero_p = unary("IsZero", _is_zero, None, FLOATING, xla=_is_zero)


@export("less", "math.less", direct=True)
@raw_op("Less")
def less(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Whether x < y, elementwise.

    Args:
      x: A real tensor.
      y: A tensor of the same dtype; shapes broadcast.
      name: Accepted for compatibility.

    Returns:
      A bool tensor of the broadcast shape.

    Raises:
      InvalidArgumentError: The dtypes differ or are not supported, or shapes do not broadcast.

    >>> tf.less([1, 2], [2, 2]).numpy()
    array([ True, False])
    """
    return less_of(x, y)


@export("less_equal", "math.less_equal", direct=True)
@raw_op("LessEqual")
def less_equal(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Whether x <= y, elementwise.

    Args:
      x: A real tensor.
      y: A tensor of the same dtype; shapes broadcast.
      name: Accepted for compatibility.

    Returns:
      A bool tensor of the broadcast shape.

    Raises:
      InvalidArgumentError: The dtypes differ or are not supported, or shapes do not broadcast.

    >>> tf.less_equal([1, 2], [2, 2]).numpy()
    array([ True,  True])
    """
    return less_equal_of(x, y)


@export("greater", "math.greater", direct=True)
@raw_op("Greater")
def greater(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Whether x > y, elementwise.

    Args:
      x: A real tensor.
      y: A tensor of the same dtype; shapes broadcast.
      name: Accepted for compatibility.

    Returns:
      A bool tensor of the broadcast shape.

    Raises:
      InvalidArgumentError: The dtypes differ or are not supported, or shapes do not broadcast.

    >>> tf.greater([3, 2], [2, 2]).numpy()
    array([ True, False])
    """
    return greater_of(x, y)


@export("greater_equal", "math.greater_equal", direct=True)
@raw_op("GreaterEqual")
def greater_equal(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Whether x >= y, elementwise.

    Args:
      x: A real tensor.
      y: A tensor of the same dtype; shapes broadcast.
      name: Accepted for compatibility.

    Returns:
      A bool tensor of the broadcast shape.

    Raises:
      InvalidArgumentError: The dtypes differ or are not supported, or shapes do not broadcast.

    >>> tf.greater_equal([3, 2], [2, 2]).numpy()
    array([ True,  True])
    """
    return greater_equal_of(x, y)


@export("equal", "math.equal", direct=True)
def equal(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Whether x == y, elementwise; NaN is not equal to any number.

    Args:
      x: A tensor.
      y: A tensor of the same dtype; shapes broadcast.
      name: Accepted for compatibility.

    Returns:
      A bool tensor of the broadcast shape.

    Raises:
      InvalidArgumentError: The dtypes differ or are not supported, or shapes do not broadcast.

    >>> tf.equal([1, 2], [1, 3]).numpy()
    array([ True, False])
    """
    return equal_of(x, y)


@raw_op("Equal")
def _raw_equal(
    x: Any, y: Any, incompatible_shape_error: bool = True, name: str | None = None
) -> Tensor:
    return equal_of(x, y) if incompatible_shape_error else compared(*pair(x, y), different=False)


@export("not_equal", "math.not_equal", direct=True)
def not_equal(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Whether x != y, elementwise.

    Args:
      x: A tensor.
      y: A tensor of the same dtype; shapes broadcast.
      name: Accepted for compatibility.

    Returns:
      A bool tensor of the broadcast shape.

    Raises:
      InvalidArgumentError: The dtypes differ or are not supported, or shapes do not broadcast.

    >>> tf.not_equal([1, 2], [1, 3]).numpy()
    array([False,  True])
    """
    return not_equal_of(x, y)


@raw_op("NotEqual")
def _raw_not_equal(
    x: Any, y: Any, incompatible_shape_error: bool = True, name: str | None = None
) -> Tensor:
    if incompatible_shape_error:
        return not_equal_of(x, y)
    return compared(*pair(x, y), different=True)


@export("math.is_nan", direct=True)
@raw_op("IsNan")
def is_nan(x: Any, name: str | None = None) -> Tensor:
    """Whether a value is NaN, elementwise.

    Args:
      x: A floating-point tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape, bool.

    Raises:
      InvalidArgumentError: The dtype of `x` is not supported.

    >>> tf.math.is_nan([1.0, np.nan]).numpy()
    array([False,  True])
    """
    return is_nan_of(x)


@export("math.is_inf", direct=True)
@raw_op("IsInf")
def is_inf(x: Any, name: str | None = None) -> Tensor:
    """Whether a value is infinite, elementwise.

    Args:
      x: A floating-point tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape, bool.

    Raises:
      InvalidArgumentError: The dtype of `x` is not supported.

    >>> tf.math.is_inf([1.0, np.inf]).numpy()
    array([False,  True])
    """
    return is_inf_of(x)


@export("math.is_finite", direct=True)
@raw_op("IsFinite")
def is_finite(x: Any, name: str | None = None) -> Tensor:
    """Whether a value is neither infinite nor NaN, elementwise.

    Args:
      x: A floating-point tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape, bool.

    Raises:
      InvalidArgumentError: The dtype of `x` is not supported.

    >>> tf.math.is_finite([1.0, np.inf, np.nan]).numpy()
    array([ True, False, False])
    """
    return is_finite_of(x)
