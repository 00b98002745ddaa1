"""Operations on the bits of integers."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from gradtape._src.base.export import export, raw_op
from gradtape._src.compute.jax_modules import jnp
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.general import INTEGER
from gradtape._src.declare.pointwise import binary, unary

bitwise_and_p = binary("BitwiseAnd", operator.and_, None, None, INTEGER)
bitwise_and_of = bitwise_and_p.of_arguments
bitwise_or_p = binary("BitwiseOr", operator.or_, None, None, INTEGER)
bitwise_or_of = bitwise_or_p.of_arguments
bitwise_xor_p = binary("BitwiseXor", operator.xor, None, None, INTEGER)
bitwise_xor_of = bitwise_xor_p.of_arguments
invert_p = unary("Invert", operator.invert, None, INTEGER)
invert_of = invert_p.of_arguments


def _within(y: Any) -> Any:
    return np.clip(y, 0, y.dtype.itemsize * 8 - 1)


def _within_in_xla(y: Any) -> Any:
    return jnp.clip(y, 0, y.dtype.itemsize * 8 - 1).astype(y.dtype)


left_shift_p = binary(
    "LeftShift",
    lambda x, y: np.left_shift(x, _within(y)),
    None,
    None,
    INTEGER,
    xla=lambda x, y: jnp.left_shift(x, _within_in_xla(y)),
)
left_shift_of = left_shift_p.of_arguments
right_shift_p = binary(
    "RightShift",
    lambda x, y: np.right_shift(x, _within(y)),
    None,
    None,
    INTEGER,
    xla=lambda x, y: jnp.right_shift(x, _within_in_xla(y)),
)
right_shift_of = right_shift_p.of_arguments


@export("bitwise.bitwise_and")
@raw_op("BitwiseAnd")
def bitwise_and(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns the bitwise and of integers, elementwise.

    Args:
      x: An integer tensor.
      y: A tensor of the same dtype; shapes broadcast.
      name: Accepted for compatibility.

    Returns:
      An integer tensor of the broadcast shape.

    Raises:
      InvalidArgumentError: The dtypes differ or are not supported, or shapes do not broadcast.

    >>> tf.bitwise.bitwise_and([6, 5], 3).numpy()
    array([2, 1], dtype=int32)
    """
    return bitwise_and_of(x, y)


@export("bitwise.bitwise_or")
@raw_op("BitwiseOr")
def bitwise_or(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns the bitwise or of integers, elementwise.

    Args:
      x: An integer tensor.
      y: A tensor of the same dtype; shapes broadcast.
      name: Accepted for compatibility.

    Returns:
      An integer tensor of the broadcast shape.

    Raises:
      InvalidArgumentError: The dtypes differ or are not supported, or shapes do not broadcast.

    >>> tf.bitwise.bitwise_or([6, 5], 3).numpy()
    array([7, 7], dtype=int32)
    """
    return bitwise_or_of(x, y)


@export("bitwise.bitwise_xor")
@raw_op("BitwiseXor")
def bitwise_xor(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns the bitwise exclusive or of integers, elementwise.

    Args:
      x: An integer tensor.
      y: A tensor of the same dtype; shapes broadcast.
      name: Accepted for compatibility.

    Returns:
      An integer tensor of the broadcast shape.

    Raises:
      InvalidArgumentError: The dtypes differ or are not supported, or shapes do not broadcast.

    >>> tf.bitwise.bitwise_xor([6, 5], 3).numpy()
    array([5, 6], dtype=int32)
    """
    return bitwise_xor_of(x, y)


@export("bitwise.left_shift")
@raw_op("LeftShift")
def left_shift(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns `x << y`, elementwise; `y` is clipped to the width of the dtype.

    Args:
      x: An integer tensor.
      y: A tensor of the same dtype; shapes broadcast.
      name: Accepted for compatibility.

    Returns:
      An integer tensor of the broadcast shape.

    Raises:
      InvalidArgumentError: The dtypes differ or are not supported, or shapes do not broadcast.

    >>> tf.bitwise.left_shift([1, 2], 3).numpy()
    array([ 8, 16], dtype=int32)
    """
    return left_shift_of(x, y)


@export("bitwise.right_shift")
@raw_op("RightShift")
def right_shift(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns `x >> y`, elementwise, keeping the sign; `y` is clipped to the width of the dtype.

    Args:
      x: An integer tensor.
      y: A tensor of the same dtype; shapes broadcast.
      name: Accepted for compatibility.

    Returns:
      An integer tensor of the broadcast shape.

    Raises:
      InvalidArgumentError: The dtypes differ or are not supported, or shapes do not broadcast.

    >>> tf.bitwise.right_shift([8, 16], 3).numpy()
    array([1, 2], dtype=int32)
    """
    return right_shift_of(x, y)


@export("bitwise.invert")
@raw_op("Invert")
def invert(x: Any, name: str | None = None) -> Tensor:
    """Returns the bitwise complement of integers, elementwise.

    Args:
      x: An integer tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: The dtype of `x` is not supported.

    >>> tf.bitwise.invert([0, 5]).numpy()
    array([-1, -6], dtype=int32)
    """
    return invert_of(x)
