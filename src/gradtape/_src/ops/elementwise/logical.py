"""Logic on truth values."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._src.base.dtypes import bool_
from gradtape._src.base.error_messages import STAND_INS
from gradtape._src.base.export import export, raw_op
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.tensor import Tensor, TensorLike
from gradtape._src.declare.pointwise import binary, unary
from gradtape._src.ops.elementwise.comparison import not_equal_p

BOOL = frozenset({np.bool_})
logical_and_p = binary("LogicalAnd", np.logical_and, None, None, BOOL)
logical_or_p = binary("LogicalOr", np.logical_or, None, None, BOOL)
logical_not_p = unary("LogicalNot", np.logical_not, None, BOOL)
STAND_INS["Mul", bool_] = logical_and_p


def _bool(x: Any) -> Tensor:
    """Returns a boolean argument as a tensor."""
    if isinstance(x, TensorLike):
        given = tensor(x)
        logical_and_p.primitive.check((given,))
        return given
    return convert_to_tensor(x, "bool")


@export("logical_and", "math.logical_and", direct=True)
@raw_op("LogicalAnd")
def logical_and(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns whether x and y are true, elementwise.

    Args:
      x: A boolean tensor.
      y: A boolean tensor; shapes broadcast.
      name: Accepted for compatibility.

    Returns:
      A bool tensor of the broadcast shape.

    Raises:
      TypeError: A Python value is not boolean.
      InvalidArgumentError: A tensor is not boolean, or shapes do not broadcast.

    >>> tf.logical_and([True, False], [True, True]).numpy()
    array([ True, False])
    """
    return logical_and_p(_bool(x), _bool(y))


@export("logical_or", "math.logical_or", direct=True)
@raw_op("LogicalOr")
def logical_or(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns whether x or y is true, elementwise.

    Args:
      x: A boolean tensor.
      y: A boolean tensor; shapes broadcast.
      name: Accepted for compatibility.

    Returns:
      A bool tensor of the broadcast shape.

    Raises:
      TypeError: A Python value is not boolean.
      InvalidArgumentError: A tensor is not boolean, or shapes do not broadcast.

    >>> tf.logical_or([True, False], [False, False]).numpy()
    array([ True, False])
    """
    return logical_or_p(_bool(x), _bool(y))


@export("math.logical_xor")
def logical_xor(x: Any, y: Any, name: str = "LogicalXor") -> Tensor:
    """Returns whether exactly one of x and y is true, elementwise.

    Args:
      x: A boolean tensor.
      y: A boolean tensor; shapes broadcast.
      name: Accepted for compatibility.

    Returns:
      A bool tensor of the broadcast shape.

    Raises:
      TypeError: A Python value is not boolean.
      InvalidArgumentError: A tensor is not boolean, or shapes do not broadcast.

    >>> tf.math.logical_xor([True, True], [True, False]).numpy()
    array([False,  True])
    """
    return not_equal_p(_bool(x), _bool(y))


@export("logical_not", "math.logical_not", direct=True)
@raw_op("LogicalNot")
def logical_not(x: Any, name: str | None = None) -> Tensor:
    """Returns whether x is false, elementwise.

    Args:
      x: A boolean tensor.
      name: Accepted for compatibility.

    Returns:
      A bool tensor of the same shape.

    Raises:
      TypeError: A Python value is not boolean.
      InvalidArgumentError: A tensor is not boolean.

    >>> tf.logical_not([True, False]).numpy()
    array([False,  True])
    """
    return logical_not_p(_bool(x))
