"""Accumulators of reductions, and sums and extremes along axes of large arrays.

A sum or product of 16-bit floats is accumulated in float32 and rounded once, at the end.
Accumulated in its own dtype, a sum of ones would never exceed 256 in bfloat16, or 2048 in float16.
All reductions, gradients of broadcast values and sums of several gradients use `accumulated`, `add`
or `wider`.

NumPy's reductions take a microsecond and tens of nanoseconds per row; the product with a vector of
ones, computed by BLAS, is 2 to 20 times as fast, and is used for lengths for which it is as
accurate.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np

from gradtape._src.base.optional_dtypes import BFLOAT16
from gradtape._src.compute.parallel import crew
from gradtape._src.compute.raw_value import RawValue

HALVES = frozenset({np.float16, *BFLOAT16})
_SINGLE = np.dtype(np.float32)
ndarray = np.ndarray
LARGE = 1 << 12
"""The number of elements from which faster ways to reduce are considered."""
_WHOLE = 1 << 14  # the number of elements from which a full sum is computed by rows
_LONGEST = 1024  # the number of terms up to which a product is as accurate as NumPy's pairwise sums
_ALONE = 1 << 13
"""The number of elements whose sums OpenBLAS computes in the thread that calls it.

After a larger product, its other threads wait actively for 20 ms or more, while `parallel.crew`
needs the processors.
"""
_KEPT = 1 << 16  # the longest vector of ones that is kept


def wider(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Returns the dtype in which values of a NumPy dtype are added up or multiplied."""
    return _SINGLE if dtype.type in HALVES else dtype


def accumulated(ufunc: Any, x: Any, axis: tuple[int, ...], keepdims: bool = False) -> RawValue:
    """Returns `ufunc.reduce` along axes in the array's dtype, accumulated in a `wider` one."""
    dtype = x.dtype
    along = axis if len(axis) < x.ndim else None
    if dtype.itemsize == 2 and dtype.type in HALVES:
        wide: RawValue = ufunc.reduce(x, along, _SINGLE, None, keepdims)
        return wide.astype(dtype)
    out: RawValue = ufunc.reduce(x, along, dtype, None, keepdims)
    return out


def add(x: Any, axis: tuple[int, ...], keepdims: bool = False) -> RawValue:
    """Returns the sum along negative, ascending axes, in the array's own dtype."""
    dtype = x.dtype
    if type(x) is ndarray and dtype.char in "fd" and axis:
        found = (_of_few if x.size < LARGE else _of_many)(x, axis, keepdims, dtype.char)
        if found is not None:
            return found
    elif dtype.itemsize == 2 and dtype.type in HALVES:
        return add(x.astype(_SINGLE), axis, keepdims).astype(dtype)
    along = axis if len(axis) < x.ndim else None
    out: RawValue = np.add.reduce(x, along, dtype, None, keepdims)  # type: ignore[call-overload]
    return out


def _of_few(x: Any, axis: tuple[int, ...], keepdims: bool, char: str) -> RawValue | None:
    """Returns the sum of a small vector or matrix; None if NumPy's sum is better."""
    rank = x.ndim
    n = x.size if len(axis) == rank else x.shape[axis[0]]
    if rank > 2 or n > _LONGEST:
        return None
    units = _ones_of(n, char)
    out: RawValue
    if len(axis) == rank:
        out = x.reshape(-1).dot(units)
        return out.reshape((1,) * rank) if keepdims else out
    if axis[0] == -1:
        out = x.dot(units)
        return out.reshape(-1, 1) if keepdims else out
    out = units.dot(x)
    return out.reshape(1, -1) if keepdims else out


def column_sums(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Callable[[Any], Any] | None:
    """Returns the function that sums the columns of a small matrix as `add` does, or None."""
    small = shape[0] * shape[1] < LARGE and shape[0] <= _LONGEST
    return _ones_of(shape[0], dtype.char).dot if small and dtype.char in "fd" else None


def _of_many(x: Any, axis: tuple[int, ...], keepdims: bool, _: str) -> RawValue | None:
    """Returns the sum of a large array; None if NumPy's sum is better."""
    if not x.flags.c_contiguous:
        return None
    rank, k = x.ndim, len(axis)
    found: RawValue | None = None
    if k == rank:
        found = _all(x) if x.size >= _WHOLE else None
    elif axis[0] == -k:  # the last axes
        found = _rows(x.reshape(-1, prod(x.shape[-k:])))
    elif axis[-1] == k - rank - 1:  # the first axes
        n = prod(x.shape[k:])
        found = _columns(x.reshape(-1, n)) if n < _LONGEST // 2 else None
    if found is None or (k == rank and not keepdims):
        return found
    lengths = [*enumerate(x.shape, -rank)]
    if keepdims:
        return found.reshape([1 if a in axis else n for a, n in lengths])
    return found.reshape([n for a, n in lengths if a not in axis])


@lru_cache(1024)
def _ones_of(n: int, char: str) -> Any:
    out = np.ones(n, char)
    out.flags.writeable = False
    return out


def ones(n: int, char: str) -> np.ndarray[Any, Any]:
    """Returns a vector of ones of a dtype, which must not be changed."""
    out: np.ndarray[Any, Any] = _ones_of(n, char) if n <= _KEPT else np.ones(n, char)
    return out


def _all(x: Any) -> Any:
    flat = x.reshape(-1)
    whole = flat.size & -256
    units = ones(256, x.dtype.char)
    if crew.size == 1:
        rows = flat[:whole].reshape(-1, 256).dot(units)
    else:
        rows = np.empty(whole // 256, x.dtype)
        start = whole & -_ALONE
        many = flat[:start].reshape(-1, _ALONE // 256, 256)
        np.matmul(many, units, out=rows[: start // 256].reshape(many.shape[:2]))
        flat[start:whole].reshape(-1, 256).dot(units, rows[start // 256 :])
    total = np.add.reduce(rows)
    return total if whole == flat.size else total + np.add.reduce(flat[whole:])


@lru_cache(1024)
def _parts(n: int) -> int:
    """Returns the number of equal parts into which a long row is split; 0 if that is impossible."""
    least = -(-n // _LONGEST)
    return next((parts for parts in range(least, 2 * least + 8) if n % parts == 0), 0)


def _rows(x: Any) -> Any:
    """Returns the sums of a matrix's rows; None if NumPy's sum is better."""
    m, n = x.shape
    parts = _parts(n)
    if not parts:
        return None
    if parts == 1:
        return x.dot(ones(n, x.dtype.char))
    sums = x.reshape(m * parts, -1).dot(ones(n // parts, x.dtype.char))
    return np.add.reduce(sums.reshape(m, parts), 1)


def _columns(x: Any) -> Any:
    return ones(len(x), x.dtype.char).dot(x)


def extreme(ufunc: Any, x: Any, keepdims: bool) -> RawValue:
    """Returns the maximum or minimum along the last axis of an array, which must have elements.

    In many short rows, searching for the position takes less time than a reduction, which has a
    cost per row. Short rows of large arrays are transposed to columns.
    """
    n, size = x.shape[-1], x.size
    found: RawValue
    if size < LARGE:
        if size < 16 * n or x.dtype.char not in "fd" or not x.flags.c_contiguous:
            found = ufunc.reduce(x, -1, None, None, keepdims)
            return found
        flat = x.reshape(-1, n)
        places = flat.argmax(1) if ufunc is np.maximum else flat.argmin(1)
        found = x.take(places + row_starts(size // n, n))
    elif n > 16 or not x.flags.c_contiguous:
        found = ufunc.reduce(x, -1, None, None, keepdims)
        return found
    else:
        found = ufunc.reduce(np.ascontiguousarray(x.reshape(-1, n).T), 0)
    return found.reshape((*x.shape[:-1], 1) if keepdims else x.shape[:-1])


def row_starts(rows: int, width: int) -> np.ndarray[Any, Any]:
    """Returns the places where the rows of a flattened matrix start; they must not be changed."""
    starts: np.ndarray[Any, Any] = (
        np.arange(rows) * width if rows > _KEPT_STARTS else _few_starts(rows, width)
    )
    return starts


_KEPT_STARTS = 4096


@lru_cache(64)
def _few_starts(rows: int, width: int) -> Any:
    out = np.arange(rows) * width
    out.flags.writeable = False
    return out


def repeated(rows: Any, counts: Any) -> np.ndarray[Any, Any]:
    """Returns each of the rows as often as `counts`, an integer array of any dtype, says.

    NumPy accepts only counts of the width of an address, so that with 32-bit addresses it refuses
    TensorFlow's int64 counts.
    """
    return np.repeat(rows, np.asarray(counts, np.intp), axis=0)
