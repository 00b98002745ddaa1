"""Copies of large arrays, aligned if XLA wants them aligned."""

from __future__ import annotations

from typing import Any

import numpy as np

_LINE = 64  # bytes to whose multiples XLA wants arrays aligned; it copies others


class Alignment:
    """Whether copies of large arrays are aligned."""

    on = False


def align_copies(enabled: bool) -> None:
    """Says whether copies of large arrays are aligned."""
    Alignment.on = enabled


def copied(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Returns a copy of an array of NumPy's."""
    if not Alignment.on or array.nbytes < 1 << 18 or array.dtype.hasobject:
        return array.copy()
    memory = np.empty(array.nbytes + _LINE, np.uint8)
    start = -memory.ctypes.data % _LINE
    out: np.ndarray[Any, Any] = (
        memory[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
    )
    np.copyto(out, array)
    return out
