"""Of `tensorflow.python`: `framework.tensor_util`, `ops.array_ops`, `util.variable_utils`, ..."""

from __future__ import annotations

from typing import Any

from gradtape._base.composite import CompositeTensor as CompositeTensor
from gradtape._base.nest import map_structure
from gradtape._base.shapes import TensorShape as TensorShape
from gradtape._base.shapes import as_shape as as_shape
from gradtape._base.showing import Reference as Reference
from gradtape._compile.compat import Dimension as Dimension
from gradtape._core.convert import convert_to_tensor
from gradtape._core.variable import Variable
from gradtape._ops.creation import get_static_value


def constant_value(tensor: Any, partial: bool = False) -> Any:
    """The value of a tensor as an array; see `tf.get_static_value`."""
    return get_static_value(tensor, partial)


def constant_value_as_shape(tensor: Any) -> TensorShape:
    """The shape that a vector of lengths means, where -1 is a length that is not known.

    Args:
      tensor: Integers.

    Raises:
      ValueError: It is no vector.
    """
    lengths = convert_to_tensor(tensor).numpy()
    if lengths.ndim != 1:
        if lengths.ndim == 0 and lengths == -1:
            return TensorShape(None)
        raise ValueError(f"constant_value_as_shape: wanted a vector, got shape {lengths.shape}")
    return TensorShape([None if length == -1 else int(length) for length in lengths])


def convert_variables_to_tensors(values: Any) -> Any:
    """The structure with the values of its variables in their places.

    Args:
      values: A structure; composite tensors in it take out variables of their own.
    """

    def converted(value: Any) -> Any:
        if isinstance(value, Variable):
            return convert_to_tensor(value)
        own = getattr(value, "_convert_variables_to_tensors", None)
        return value if own is None else own()

    return map_structure(converted, values)
