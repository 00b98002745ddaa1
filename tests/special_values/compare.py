"""The comparison of results at special points with TensorFlow's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

TOLERANCES = {"float16": 2e-2, "bfloat16": 4e-2, "float32": 4e-5, "float64": 2e-7}


def load() -> dict[tuple[str, str], dict[str, np.ndarray[Any, Any]]]:
    """Returns TensorFlow's results by case and dtype, then by "value" and "by 0", the gradients."""
    import ml_dtypes

    found: dict[tuple[str, str], dict[str, np.ndarray[Any, Any]]] = {}
    with np.load(Path(__file__).with_name("tensorflow.npz")) as kept:
        arrays = {name: kept[name] for name in kept.files}
    arrays["bfloat16"] = arrays["bfloat16"].view(ml_dtypes.bfloat16)
    begun = dict.fromkeys(arrays, 0)
    for key, dtype, what, kind, size in json.loads(arrays["index"].tobytes()):
        start = begun[kind]
        begun[kind] += size
        found.setdefault((key, dtype), {})[what] = arrays[kind][start : start + size]
    return found


def unequal(got: Any, want: Any, dtype: str) -> np.ndarray[Any, Any]:
    """Compares two arrays: NaN, infinities and their signs exactly, numbers approximately."""
    if want.dtype.kind in "biu":
        return got != want
    if want.dtype.kind == "c":
        return unequal(got.real, want.real, dtype) | unequal(got.imag, want.imag, dtype)
    tolerance = TOLERANCES.get(dtype) or TOLERANCES[want.dtype.name]
    tolerance = max(tolerance, TOLERANCES[want.dtype.name])
    g, w = np.asarray(got, np.float64), np.asarray(want, np.float64)
    with np.errstate(all="ignore"):
        near = np.abs(g - w) <= tolerance * (np.abs(w) + 0.05)
    return ~((g == w) | near | (np.isnan(g) & np.isnan(w)))
