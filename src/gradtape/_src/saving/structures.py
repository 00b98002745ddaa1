"""Arguments and results of functions as JSON, in the format of older versions."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import as_dtype
from gradtape._src.core.tensor import Tensor
from gradtape._src.messages.reading import DecodeError
from gradtape._src.ops.types.specs import TensorSpec


def decoded(data: Any) -> Any:
    """Decodes a structure that an older version wrote.

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
        raise DecodeError(f"the description of a function is damaged: {error}") from None
    raise DecodeError(f"the description of a function is damaged: {str(data)[:60]}")
