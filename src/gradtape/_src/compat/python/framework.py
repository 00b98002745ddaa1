"""Private functions of `framework.tensor_util`, `ops.array_ops` and others."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._src.base.composite_tensor import CompositeTensor as CompositeTensor
from gradtape._src.base.nest import map_structure
from gradtape._src.base.shapes import Dimension as Dimension
from gradtape._src.base.shapes import TensorShape as TensorShape
from gradtape._src.base.shapes import as_shape as as_shape
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.variable import Variable
from gradtape._src.ops.array.creation import get_static_value


def constant_value(tensor: Any, partial: bool = False) -> np.ndarray[Any, Any] | np.generic | None:
    """Returns the value of a tensor as an array; see `tf.get_static_value`."""
    return get_static_value(tensor, partial)


def constant_value_as_shape(tensor: Any) -> TensorShape:
    """Converts a vector of lengths to a shape, in which -1 means an unknown length.

    Args:
      tensor: Integers. Those that are known only when a graph runs are unknown lengths.

    Raises:
      ValueError: `tensor` is not a vector.
    """
    vector = convert_to_tensor(tensor)
    lengths = get_static_value(vector, partial=True)
    if lengths is None:
        return TensorShape([None] * vector.shape[0] if vector.shape.rank == 1 else None)
    if lengths.ndim != 1:
        if lengths.ndim == 0 and lengths == -1:
            return TensorShape(None)
        raise ValueError(f"constant_value_as_shape: wanted a vector, got shape {lengths.shape}")
    return TensorShape([None if n is None or n == -1 else int(n) for n in np.asarray(lengths)])


def convert_variables_to_tensors(values: Any) -> Any:
    """Replaces the variables in a structure by their values.

    Args:
      values: A structure; composite tensors in it replace their own variables.
    """

    def converted(value: Any) -> Any:
        if isinstance(value, Variable):
            return convert_to_tensor(value)
        own = getattr(value, "_convert_variables_to_tensors", None)
        return value if own is None else own()

    return map_structure(converted, values)
