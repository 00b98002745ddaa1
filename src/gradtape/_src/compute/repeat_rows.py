"""Repeating rows as often as an array says."""

from __future__ import annotations

from typing import Any

import numpy as np


def repeated(rows: Any, counts: Any) -> np.ndarray[Any, Any]:
    """Returns each of the rows as often as `counts`, an integer array of any dtype, says.

    NumPy takes counts only as wide as an address, and where an address has 32 bits it refuses the
    int64 that TensorFlow counts in.
    """
    return np.repeat(rows, np.asarray(counts, np.intp), axis=0)
