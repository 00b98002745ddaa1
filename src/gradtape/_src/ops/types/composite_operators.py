"""Code that the operators of sparse and ragged tensors share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradtape._src.base.errors import InvalidArgumentError
from gradtape._src.core.tensor import TensorLike


def no_operator(name: str, x: Any, other: Any) -> object:
    """Returns NotImplemented for an operator of `other` and `x`, a sparse or ragged tensor.

    Raises:
      ValueError: `other` is a tensor.
    """
    if not isinstance(other, TensorLike):
        return NotImplemented
    kind = type(x).__name__
    raise ValueError(
        f"`{name}` of a tensor and a {kind}: there is no such operator; convert the {kind} to a "
        "tensor first (to_tensor, tf.sparse.to_dense)."
    )


def compared(function: Callable[..., Any], x: Any, other: Any, *, different: bool) -> object:
    """Implements `==` or `!=`, elementwise, or as a single truth value if rows or dtypes differ."""
    if other is None:
        return different
    try:
        return function(x, other)
    except InvalidArgumentError:
        return different
    except ValueError:
        if isinstance(other, (list, tuple)):  # The rows differ in length.
            return different
        raise
