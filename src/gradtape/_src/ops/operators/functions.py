"""`tf.__operators__`: the operators `+`, `==`, `!=` and `[]` of tensors, as functions."""

from __future__ import annotations

from typing import Any

from gradtape._src.base.export import export
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.operators import Operators
from gradtape._src.core.tensor import Tensor
from gradtape._src.ops.array import slicing
from gradtape._src.ops.elementwise import arithmetic
from gradtape._src.ops.types.ragged_tensor import RaggedTensor


@export("__operators__.add")
def add(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns `x + y`.

    Args:
      x: A tensor.
      y: A tensor of the same dtype, or values of it; the shapes are broadcast.
      name: Accepted for compatibility.

    Returns:
      A tensor with the dtype of `x`.

    >>> tf.__operators__.add(tf.constant([1, 2]), 3).numpy()
    array([4, 5], dtype=int32)
    """
    return arithmetic.add(x, y, name=name)


@export("__operators__.eq")
def eq(self: Any, other: Any) -> Tensor | bool:
    """Returns `self == other`.

    Args:
      self: A tensor.
      other: Anything.

    Returns:
      A bool tensor; a single truth value if the shapes can't be broadcast or `other` is None.

    >>> tf.__operators__.eq(tf.constant([1, 2]), [1, 3]).numpy()
    array([ True, False])
    """
    compared: Tensor | bool = _operand(self, other) == other
    return compared


@export("__operators__.ne")
def ne(self: Any, other: Any) -> Tensor | bool:
    """Returns `self != other`.

    Args:
      self: A tensor.
      other: Anything.

    Returns:
      A bool tensor; a single truth value if the shapes can't be broadcast or `other` is None.

    >>> tf.__operators__.ne(tf.constant([1, 2]), [1, 3]).numpy()
    array([False,  True])
    """
    compared: Tensor | bool = _operand(self, other) != other
    return compared


def _operand(x: Any, other: Any = None) -> Any:
    """Returns a value that has operators; a Python value gets the dtype of the other operand."""
    if isinstance(x, Operators):
        return x
    return convert_to_tensor(x, getattr(other, "dtype", None))


@export("__operators__.getitem")
def getitem(tensor: Any, slice_spec: Any, var: Any = None) -> Tensor:
    """Returns `tensor[slice_spec]`.

    Args:
      tensor: A tensor.
      slice_spec: An integer, a slice, `...`, `tf.newaxis`, a tensor, or a tuple of them.
      var: The variable whose value `tensor` is; accepted for compatibility.

    Returns:
      A tensor with the dtype of `tensor`.

    >>> tf.__operators__.getitem(tf.constant([1, 2, 3]), slice(1, None)).numpy()
    array([2, 3], dtype=int32)
    """
    return slicing.getitem(_operand(tensor), slice_spec)


@export("__operators__.ragged_getitem")
def ragged_getitem(rt_input: Any, key: Any) -> Tensor | RaggedTensor:
    """Returns `rt_input[key]` for a ragged tensor.

    Args:
      rt_input: The ragged tensor.
      key: An integer, a slice, or a tuple of them.

    Returns:
      A tensor or a ragged tensor.

    Raises:
      TypeError: `rt_input` is not a ragged tensor.

    >>> tf.__operators__.ragged_getitem(tf.ragged.constant([[1], [2, 3]]), 1).numpy()
    array([2, 3], dtype=int32)
    """
    if not isinstance(rt_input, RaggedTensor):
        raise TypeError("Ragged __getitem__ expects a ragged_tensor.")
    part: Tensor | RaggedTensor = rt_input[key]
    return part
