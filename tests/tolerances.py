"""The tolerances of comparisons, in one table by dtype."""

from __future__ import annotations

from typing import Any

import numpy as np

# dtype: (relative, absolute)
SAME = {  # one formula computed in two ways
    "float64": (1e-9, 1e-11),
    "complex128": (1e-9, 1e-11),
    "float32": (2e-5, 1e-6),
    "complex64": (2e-5, 1e-6),
    "float16": (5e-3, 1e-3),
    "bfloat16": (4e-2, 1e-2),
}
DIFFERENCE = {  # a derivative against differences of fourth order
    "float64": (1e-6, 1e-7),
    "complex128": (1e-6, 1e-7),
}


def close(actual: Any, desired: Any, table: dict[str, tuple[float, float]] = SAME) -> None:
    """Raises AssertionError unless the values agree by the table's row for `actual`'s dtype."""
    actual, desired = np.asarray(actual), np.asarray(desired)
    if actual.dtype.kind in "biuSUO":
        np.testing.assert_array_equal(actual, desired)
        return
    rtol, atol = table[actual.dtype.name]
    assert actual.shape == desired.shape, f"shape {actual.shape}, expected {desired.shape}"
    if actual.dtype.name == "bfloat16":
        actual, desired = actual.astype("f4"), desired.astype("f4")
    np.testing.assert_allclose(actual, desired, rtol, atol)
