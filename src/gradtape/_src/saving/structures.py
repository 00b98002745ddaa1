"""Arguments and results of functions as JSON: structures of tensors' specs and Python values."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import as_dtype
from gradtape._src.core.tensor import Tensor
from gradtape._src.messages.reading import DecodeError
from gradtape._src.ops.types.specs import TensorSpec


def encoded(value: Any) -> dict[str, Any]:
    """A structure for JSON.

    Raises:
      TypeError: Something in it can't be saved.
    """
    if isinstance(value, TensorSpec):
        shape = None if value.shape.rank is None else value.shape.as_list()
        return {"spec": [shape, value.dtype.name, value.name]}
    if value is None or isinstance(value, (bool, int, float, str)):
        return {"value": value}
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {"dict": [[key, encoded(part)] for key, part in value.items()]}
    if isinstance(value, (list, tuple)):
        kind = "tuple" if isinstance(value, tuple) else "list"
        return {kind: [encoded(part) for part in value]}
    if isinstance(value, Tensor) and value.dtype.name != "string":
        array = np.ascontiguousarray(value._value)
        text = base64.b64encode(array.tobytes()).decode()
        return {"constant": [list(array.shape), value.dtype.name, text]}
    raise TypeError(
        f"A function that takes or gives {value!r} can't be saved: tensors, Python numbers and "
        "strings can, and lists, tuples and dictionaries of them."
    )


def decoded(data: Any) -> Any:
    """The structure again.

    Raises:
      DecodeError: The data is damaged.
    """
    try:
        [(kind, value)] = data.items()
        if kind == "spec":
            return TensorSpec(value[0], as_dtype(value[1]), value[2])
        if kind == "value" and not isinstance(value, (list, dict)):
            return value
        if kind == "dict":
            return {str(key): decoded(part) for key, part in value}
        if kind in ("list", "tuple"):
            parts = [decoded(part) for part in value]
            return parts if kind == "list" else tuple(parts)
        if kind == "constant":
            dtype = as_dtype(value[1]).np_dtype
            raw = np.frombuffer(base64.b64decode(value[2]), dtype).reshape(value[0])
            return Tensor(raw.copy()[()])
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise DecodeError(f"damaged description of a function: {error}") from None
    raise DecodeError(f"damaged description of a function: {str(data)[:60]}")
