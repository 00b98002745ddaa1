"""Making tensors: constants, ranges, and tensors filled with one value."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._core.convert import tensor
from gradtape._core.tensor import Tensor
from gradtape._ops.families import dtype_of_value, shape_of


def zeros_like(x: Any, shape: tuple[int, ...] | None = None) -> Tensor:
    x = x if hasattr(x, "_value") else tensor(x)
    value = x._value
    return Tensor(np.zeros(value.shape if shape is None else shape, value.dtype)[()])
