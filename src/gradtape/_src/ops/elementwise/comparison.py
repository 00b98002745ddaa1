"""Comparison, logic and bits."""

from __future__ import annotations

from typing import Any

from gradtape._src.base.export import export, raw_op
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.tensor import Tensor, TensorLike
from gradtape._src.declare.same_dtype import pair
from gradtape._src.ops.elementwise.primitives import (
    bitwise_and_p,
    bitwise_or_p,
    bitwise_xor_p,
    equal_p,
    greater_equal_p,
    greater_p,
    invert_p,
    is_finite_p,
    is_inf_p,
    is_nan_p,
    left_shift_p,
    less_equal_p,
    less_p,
    logical_and_p,
    logical_not_p,
    logical_or_p,
    not_equal_p,
    right_shift_p,
)


def _bool(x: Any) -> Tensor:
    """A boolean argument as a tensor."""
    if isinstance(x, TensorLike):
        given = tensor(x)
        logical_and_p.primitive.check((given,))
        return given
    return convert_to_tensor(x, "bool")


@export("less", "math.less")
@raw_op("Less")
def less(x: Any, y: Any, name: str | None = None) -> Any:
    """Whether x < y, elementwise.

    Args:
      x: A real tensor.
      y: A tensor of the same dtype; shapes broadcast.
      name: Accepted for compatibility.

    Returns:
      A bool tensor of the broadcast shape.

    Raises:
      InvalidArgumentError: The dtypes differ or are not supported, or shapes do not broadcast.
    """
    return less_p(*pair(x, y))


@export("less_equal", "math.less_equal")
@raw_op("LessEqual")
def less_equal(x: Any, y: Any, name: str | None = None) -> Any:
    """Whether x <= y, elementwise.

    Args:
      x: A real tensor.
      y: A tensor of the same dtype; shapes broadcast.
      name: Accepted for compatibility.

    Returns:
      A bool tensor of the broadcast shape.

    Raises:
      InvalidArgumentError: The dtypes differ or are not supported, or shapes do not broadcast.
    """
    return less_equal_p(*pair(x, y))


@export("greater", "math.greater")
@raw_op("Greater")
def greater(x: Any, y: Any, name: str | None = None) -> Any:
    """Whether x > y, elementwise.

    Args:
      x: A real tensor.
      y: A tensor of the same dtype; shapes broadcast.
      name: Accepted for compatibility.

    Returns:
      A bool tensor of the broadcast shape.

    Raises:
      InvalidArgumentError: The dtypes differ or are not supported, or shapes do not broadcast.
    """
    return greater_p(*pair(x, y))


@export("greater_equal", "math.greater_equal")
@raw_op("GreaterEqual")
def greater_equal(x: Any, y: Any, name: str | None = None) -> Any:
    """Whether x >= y, elementwise.

    Args:
      x: A real tensor.
      y: A tensor of the same dtype; shapes broadcast.
      name: Accepted for compatibility.

    Returns:
      A bool tensor of the broadcast shape.

    Raises:
      InvalidArgumentError: The dtypes differ or are not supported, or shapes do not broadcast.
    """
    return greater_equal_p(*pair(x, y))


@export("equal", "math.equal")
@raw_op("Equal")
def equal(x: Any, y: Any, name: str | None = None) -> Any:
    """Whether x == y, elementwise; NaN equals nothing.

    Args:
      x: A tensor.
      y: A tensor of the same dtype; shapes broadcast.
      name: Accepted for compatibility.

    Returns:
      A bool tensor of the broadcast shape.

    Raises:
      InvalidArgumentError: The dtypes differ or are not supported, or shapes do not broadcast.
    """
    return equal_p(*pair(x, y))


@export("not_equal", "math.not_equal")
@raw_op("NotEqual")
def not_equal(x: Any, y: Any, name: str | None = None) -> Any:
    """Whether x != y, elementwise.

    Args:
      x: A tensor.
      y: A tensor of the same dtype; shapes broadcast.
      name: Accepted for compatibility.

    Returns:
      A bool tensor of the broadcast shape.

    Raises:
      InvalidArgumentError: The dtypes differ or are not supported, or shapes do not broadcast.
    """
    return not_equal_p(*pair(x, y))


@export("logical_and", "math.logical_and")
@raw_op("LogicalAnd")
def logical_and(x: Any, y: Any, name: str | None = None) -> Any:
    """Whether x and y, elementwise.

    Args:
      x: A boolean tensor.
      y: A boolean tensor; shapes broadcast.
      name: Accepted for compatibility.

    Returns:
      A bool tensor of the broadcast shape.

    Raises:
      TypeError: A Python value is not boolean.
      InvalidArgumentError: A tensor is not boolean, or shapes do not broadcast.
    """
    return logical_and_p(_bool(x), _bool(y))


@export("logical_or", "math.logical_or")
@raw_op("LogicalOr")
def logical_or(x: Any, y: Any, name: str | None = None) -> Any:
    """Whether x or y, elementwise.

    Args:
      x: A boolean tensor.
      y: A boolean tensor; shapes broadcast.
      name: Accepted for compatibility.

    Returns:
      A bool tensor of the broadcast shape.

    Raises:
      TypeError: A Python value is not boolean.
      InvalidArgumentError: A tensor is not boolean, or shapes do not broadcast.
    """
    return logical_or_p(_bool(x), _bool(y))


@export("math.logical_xor")
def logical_xor(x: Any, y: Any, name: str = "LogicalXor") -> Any:
    """Whether just one of x and y, elementwise.

    Args:
      x: A boolean tensor.
      y: A boolean tensor; shapes broadcast.
      name: Accepted for compatibility.

    Returns:
      A bool tensor of the broadcast shape.

    Raises:
      TypeError: A Python value is not boolean.
      InvalidArgumentError: A tensor is not boolean, or shapes do not broadcast.
    """
    return not_equal_p(_bool(x), _bool(y))


@export("logical_not", "math.logical_not")
@raw_op("LogicalNot")
def logical_not(x: Any, name: str | None = None) -> Any:
    """Whether not x, elementwise.

    Args:
      x: A boolean tensor.
      name: Accepted for compatibility.

    Returns:
      A bool tensor of the same shape.

    Raises:
      TypeError: A Python value is not boolean.
      InvalidArgumentError: A tensor is not boolean.
    """
    return logical_not_p(_bool(x))


@export("math.is_nan")
@raw_op("IsNan")
def is_nan(x: Any, name: str | None = None) -> Any:
    """Whether a value is NaN, elementwise.

    Args:
      x: A floating tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape, bool.

    Raises:
      InvalidArgumentError: `x` has another dtype.
    """
    return is_nan_p(tensor(x))


@export("math.is_inf")
@raw_op("IsInf")
def is_inf(x: Any, name: str | None = None) -> Any:
    """Whether a value is infinite, elementwise.

    Args:
      x: A floating tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape, bool.

    Raises:
      InvalidArgumentError: `x` has another dtype.
    """
    return is_inf_p(tensor(x))


@export("math.is_finite")
@raw_op("IsFinite")
def is_finite(x: Any, name: str | None = None) -> Any:
    """Whether a value is neither infinite nor NaN, elementwise.

    Args:
      x: A floating tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape, bool.

    Raises:
      InvalidArgumentError: `x` has another dtype.
    """
    return is_finite_p(tensor(x))


@export("bitwise.bitwise_and")
@raw_op("BitwiseAnd")
def bitwise_and(x: Any, y: Any, name: str | None = None) -> Any:
    """The bits that both integers have, elementwise.

    Args:
      x: An integer tensor.
      y: A tensor of the same dtype; shapes broadcast.
      name: Accepted for compatibility.

    Returns:
      An integer tensor of the broadcast shape.

    Raises:
      InvalidArgumentError: The dtypes differ or are not supported, or shapes do not broadcast.
    """
    return bitwise_and_p(*pair(x, y))


@export("bitwise.bitwise_or")
@raw_op("BitwiseOr")
def bitwise_or(x: Any, y: Any, name: str | None = None) -> Any:
    """The bits that either integer has, elementwise.

    Args:
      x: An integer tensor.
      y: A tensor of the same dtype; shapes broadcast.
      name: Accepted for compatibility.

    Returns:
      An integer tensor of the broadcast shape.

    Raises:
      InvalidArgumentError: The dtypes differ or are not supported, or shapes do not broadcast.
    """
    return bitwise_or_p(*pair(x, y))


@export("bitwise.bitwise_xor")
@raw_op("BitwiseXor")
def bitwise_xor(x: Any, y: Any, name: str | None = None) -> Any:
    """The bits that just one of two integers has, elementwise.

    Args:
      x: An integer tensor.
      y: A tensor of the same dtype; shapes broadcast.
      name: Accepted for compatibility.

    Returns:
      An integer tensor of the broadcast shape.

    Raises:
      InvalidArgumentError: The dtypes differ or are not supported, or shapes do not broadcast.
    """
    return bitwise_xor_p(*pair(x, y))


@export("bitwise.left_shift")
@raw_op("LeftShift")
def left_shift(x: Any, y: Any, name: str | None = None) -> Any:
    """`x << y`, elementwise; `y` is clipped to the width of the dtype.

    Args:
      x: An integer tensor.
      y: A tensor of the same dtype; shapes broadcast.
      name: Accepted for compatibility.

    Returns:
      An integer tensor of the broadcast shape.

    Raises:
      InvalidArgumentError: The dtypes differ or are not supported, or shapes do not broadcast.
    """
    return left_shift_p(*pair(x, y))


@export("bitwise.right_shift")
@raw_op("RightShift")
def right_shift(x: Any, y: Any, name: str | None = None) -> Any:
    """`x >> y`, elementwise, keeping the sign; `y` is clipped to the width of the dtype.

    Args:
      x: An integer tensor.
      y: A tensor of the same dtype; shapes broadcast.
      name: Accepted for compatibility.

    Returns:
      An integer tensor of the broadcast shape.

    Raises:
      InvalidArgumentError: The dtypes differ or are not supported, or shapes do not broadcast.
    """
    return right_shift_p(*pair(x, y))


@export("bitwise.invert")
@raw_op("Invert")
def invert(x: Any, name: str | None = None) -> Any:
    """An integer with all its bits turned over, elementwise.

    Args:
      x: An integer tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: `x` has another dtype.
    """
    return invert_p(tensor(x))
