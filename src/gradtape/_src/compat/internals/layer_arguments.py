"""`tensorflow.python.layers.utils`: functions for layers of TensorFlow 1."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradtape._src.compat.contexts import smart_cond as _smart_cond
from gradtape._src.compat.internals.convolution_lengths import (
    conv_input_length as conv_input_length,
)
from gradtape._src.compat.internals.convolution_lengths import (
    conv_output_length as conv_output_length,
)
from gradtape._src.compat.internals.convolution_lengths import (
    convert_data_format as convert_data_format,
)
from gradtape._src.compat.internals.convolution_lengths import (
    normalize_data_format as normalize_data_format,
)
from gradtape._src.compat.internals.convolution_lengths import normalize_tuple as normalize_tuple
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.ops.array.creation import get_static_value
from gradtape._src.ops.control.control_flow import cond


def smart_cond(
    pred: Any,
    true_fn: Callable[[], Any] | None = None,
    false_fn: Callable[[], Any] | None = None,
    name: str | None = None,
) -> object:
    """Calls one of two functions; uses `tf.cond` if the predicate is a variable or symbolic.

    Args:
      pred: A bool, 0 or 1, a variable, or a scalar boolean tensor.
      true_fn: The function that is called if `pred` is true.
      false_fn: The function that is called if `pred` is false.
      name: Accepted for compatibility.

    Raises:
      TypeError: A function can't be called, or `pred` is not a predicate.
    """
    if isinstance(pred, Variable):
        called: object = cond(pred, true_fn, false_fn)
        return called
    return _smart_cond(pred, true_fn, false_fn, name)


def constant_value(pred: Any) -> object:
    """Returns the value of a predicate; None if it is known only when a graph runs.

    Args:
      pred: A bool, 0 or 1, a variable, or a scalar boolean tensor.

    Raises:
      TypeError: `pred` is not a predicate.
    """
    if isinstance(pred, Variable):
        return None
    if isinstance(pred, Tensor):
        return get_static_value(pred)
    if pred is None or isinstance(pred, (str, bytes)) or pred not in (0, 1):
        raise TypeError(
            "Argument `pred` must be a Tensor, or a Python bool, or 1 or 0. Received: "
            f"pred={pred} of type {type(pred).__name__}"
        )
    return bool(pred)
