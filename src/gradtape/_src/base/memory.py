"""How the process keeps the memory of large arrays that were freed.

The GNU C library gives an array of more than 128 KiB back to the system when it is freed; the next
one costs a page fault per 4 KiB, ten times as much as adding its elements. Here such memory stays
with the process, up to a bound, and serves the next array. `GRADTAPE_MALLOC=system` in the
environment leaves the C library as it is.
"""

from __future__ import annotations

import ctypes
import os
import sys
from typing import Any

import numpy as np

_M_TRIM_THRESHOLD, _M_TOP_PAD, _M_MMAP_THRESHOLD = -1, -2, -3  # of malloc.h
KEPT = 256 << 20
"""Bytes of free memory that the process keeps at most at the end of its heap."""
_LARGEST = 32 << 20  # the library's limit for arrays that come from the heap


_LINE = 64  # bytes to whose multiples XLA wants arrays aligned; it copies others


class Alignment:
    """Whether copies of large arrays are aligned."""

    on = False


def align_copies(enabled: bool) -> None:
    """Says whether copies of large arrays are aligned."""
    Alignment.on = enabled


def copied(array: Any) -> Any:
    """A copy of an array of NumPy's."""
    if not Alignment.on or array.nbytes < 1 << 18 or array.dtype.hasobject:
        return array.copy()
    memory = np.empty(array.nbytes + _LINE, np.uint8)
    start = -memory.ctypes.data % _LINE
    out = memory[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
    np.copyto(out, array)
    return out


def keep_freed() -> bool:
    """Asks the C library to keep what is freed; answers whether it does."""
    if sys.platform != "linux" or os.environ.get("GRADTAPE_MALLOC") == "system":
        return False
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError):  # another C library
        return False
    return all(
        mallopt(option, value)
        for option, value in (
            (_M_MMAP_THRESHOLD, _LARGEST),
            (_M_TRIM_THRESHOLD, KEPT),
            (_M_TOP_PAD, 16 << 20),
        )
    )
