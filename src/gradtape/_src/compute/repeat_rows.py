"""Repeats rows as often as an array says."""

from __future__ import annotations

from typing import Any

import numpy as np


def repeated(rows: Any, counts: Any) -> np.ndarray[Any, Any]:
    """Returns each of the rows as often as `counts`, an integer array of any dtype, says.

    NumPy accepts only counts of the width of an address, so that with 32-bit addresses it refuses
    TensorFlow's int64 counts.
    """
    return np.repeat(rows, np.asarray(counts, np.intp), axis=0)
