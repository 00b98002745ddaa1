"""Rounding to integers, and the next representable number of a dtype."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._src.base.dtypes import dtype_of
from gradtape._src.base.export import export, raw_op
from gradtape._src.core.convert import tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.general import FLOATING, NUMERIC
from gradtape._src.declare.pointwise import binary, unary

floor_p = unary("Floor", np.floor, None, FLOATING)
floor_of = floor_p.of_arguments
ceil_p = unary("Ceil", np.ceil, None, FLOATING)
ceil_of = ceil_p.of_arguments
round_p = unary("Round", np.rint, None, NUMERIC)
rint_p = unary("Rint", np.rint, None, FLOATING)
rint_of = rint_p.of_arguments
next_after_p = binary("NextAfter", np.nextafter, 1, 0, frozenset({np.float32, np.float64}))
next_after_of = next_after_p.of_arguments


@export("floor", "math.floor")
@raw_op("Floor")
def floor(x: Any, name: str | None = None) -> Tensor:
    """Returns the largest integer that is less than or equal to x, elementwise. Not differentiable.

    Args:
      x: A floating-point tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: The dtype of `x` is not supported.

    >>> tf.floor([1.7, -1.2]).numpy()
    array([ 1., -2.], dtype=float32)
    """
    return floor_of(x)


@export("math.ceil")
@raw_op("Ceil")
def ceil(x: Any, name: str | None = None) -> Tensor:
    """Returns the smallest integer greater than or equal to x, elementwise. Not differentiable.

    Args:
      x: A floating-point tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: The dtype of `x` is not supported.

    >>> tf.math.ceil([1.2, -1.7]).numpy()
    array([ 2., -1.], dtype=float32)
    """
    return ceil_of(x)


@export("math.rint")
@raw_op("Rint")
def rint(x: Any, name: str | None = None) -> Tensor:
    """Returns the nearest integer, elementwise; ties are rounded to even. Not differentiable.

    Args:
      x: A floating-point tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: The dtype of `x` is not supported.
    """
    return rint_of(x)


@export("round", "math.round")
@raw_op("Round")
def round(x: Any, name: str | None = None) -> Tensor:
    """Returns the nearest integer, elementwise; ties are rounded to even. Not differentiable.

    Args:
      x: A numeric tensor; integers are returned unchanged.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: `x` is not numeric.

    >>> tf.round([0.5, 1.5, 2.6]).numpy()
    array([0., 2., 3.], dtype=float32)
    """
    x = tensor(x)
    return x if dtype_of(x._value).is_integer else round_p(x)


@export("math.nextafter")
@raw_op("NextAfter")
def nextafter(x1: Any, x2: Any, name: str | None = None) -> Tensor:
    """Returns the next representable number after `x1` towards `x2`, elementwise.

    Args:
      x1: A floating-point tensor.
      x2: A tensor of the same dtype; shapes broadcast.
      name: Accepted for compatibility.

    Returns:
      A tensor of the broadcast shape.

    Raises:
      InvalidArgumentError: The dtypes differ or are not supported, or shapes do not broadcast.
    """
    return next_after_of(x1, x2)
