"""Whether the numbers in tensors and gradients are finite."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._src.autodiff.vectorize import Batch
from gradtape._src.base.indexed_slices import IndexedSlices
from gradtape._src.core.tensor import Tensor


def raw(x: Any) -> np.ndarray[Any, Any] | np.generic:
    """Returns the numbers in a tensor, batch or cotangent."""
    while True:
        if isinstance(x, Tensor):
            x = x._value
        elif isinstance(x, Batch):
            x = x.inner
        elif isinstance(x, IndexedSlices):
            x = x.values
        else:
            numbers: np.ndarray[Any, Any] | np.generic = x
            return numbers


def finite(x: Any) -> bool:
    """Whether all numbers in a value are finite."""
    value = raw(x)
    dtype = getattr(value, "dtype", None)
    if dtype is None or getattr(dtype, "kind", "") not in "fcV":
        return True
    try:
        return bool(np.isfinite(value).all())
    except TypeError:
        return True  # the value is not an array


def masked(g: Any, d: Any) -> bool:
    """Whether the incoming gradient is zero where the outgoing one is non-finite."""
    g, bad = np.asarray(g), ~np.isfinite(np.asarray(d))
    if g.shape == bad.shape:
        return not g[bad].any()
    return not g.any()
