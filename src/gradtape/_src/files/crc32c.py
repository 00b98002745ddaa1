"""CRC-32C (Castagnoli), the checksum of TensorFlow's record and checkpoint files.

The checksum is the remainder of the data, read as a polynomial over GF(2), by a polynomial P. Three
methods are combined. Long data is reduced to some kilobytes by folding its head onto the following
words, with a multiple of P that has only four terms. These are cut into strips whose checksums
NumPy computes side by side, and which are combined in pairs. A loop handles short data. If the
package google-crc32c is installed, it does everything with a processor instruction.
"""

from __future__ import annotations

import sys
import warnings
from array import array
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from typing import Any, Final

import numpy as np

_POLYNOMIAL: Final = 0x82F63B78  # the coefficients as bits, the lowest power as the highest bit
_ONES: Final = 0xFFFFFFFF
_LITTLE: Final = sys.byteorder == "little"
_MASK_DELTA: Final = 0xA282EAD8
_SHORT: Final = 3000  # the number of bytes up to which a loop is faster
_STRIP: Final = 64  # bytes
_BLOCK: Final = 1 << 23  # the number of bytes at a time, which keeps copies small
# P divides x^5275 + x^4508 + x^2751 + 1, also if all exponents are doubled, any number of times.
# Doubled six times, the exponents count 64-bit words, so that a word can be removed by adding it at
# three later places: 5275 words after it, and 4508 and 2751 words before that place.
_FOLD: Final = (5275, 4508, 2751)

_Array = np.ndarray[Any, Any]


def _byte_table() -> list[int]:
    table = []
    for byte in range(256):
        crc = byte
        for _ in range(8):
            crc = crc >> 1 ^ (_POLYNOMIAL if crc & 1 else 0)
        table.append(crc)
    return table


_TABLE: Final = _byte_table()


def crc32c(data: Any, crc: int = 0) -> int:
    """Returns the checksum of bytes.

    Args:
      data: Bytes, or anything else that has a buffer.
      crc: The checksum of the bytes before these.
    """
    compiled = in_c()
    if compiled is None:
        return in_python(data, crc)
    return compiled(crc, data if type(data) is bytes else _as_array(data))


@cache
def in_c() -> Callable[[int, Any], int] | None:
    """Returns google-crc32c's function that extends a checksum, or None without the package."""
    try:
        with warnings.catch_warnings(action="ignore"):  # it warns if its compiled part is missing
            import google_crc32c
    except ImportError:
        return None
    found: Callable[[int, Any], int] = google_crc32c.extend
    return found if google_crc32c.implementation == "c" else None


def _as_array(data: Any) -> _Array:
    """Converts a buffer to an array, the only type besides bytes that google-crc32c accepts."""
    return np.frombuffer(memoryview(data).cast("B"), np.uint8)


def in_python(data: Any, crc: int = 0) -> int:
    """Returns the checksum of bytes, computed by NumPy; see `crc32c`."""
    view = memoryview(data).cast("B")
    register = crc ^ _ONES
    if len(view) <= _SHORT:
        return _in_a_loop(view, register) ^ _ONES
    for start in range(0, len(view), _BLOCK):
        register = _long(np.frombuffer(view[start : start + _BLOCK], np.uint8), register)
    return register ^ _ONES


def _in_a_loop(view: memoryview, register: int) -> int:
    """Returns the register after short data: four bytes at a time, then byte by byte."""
    words = len(view) >> 2 if _LITTLE else 0
    if words:
        low, high = _words()
        for word in view[: 4 * words].cast("I"):
            register ^= word
            register = low[register & 0xFFFF] ^ high[register >> 16]
    for byte in view[4 * words :]:
        register = _TABLE[(register ^ byte) & 0xFF] ^ register >> 8
    return register


@cache
def _words() -> tuple[Sequence[int], ...]:
    """Returns the changes of a register by four zero bytes, for both halves of its bits."""
    return tuple([array("I", table.tobytes()) for table in _shift_by(4, 16)])


def masked(crc: int) -> int:
    """Masks a checksum for storage in files, as the record format requires."""
    return ((crc >> 15 | crc << 17) + _MASK_DELTA) & _ONES


def masked_crc32c(data: Any) -> int:
    """Returns the masked checksum of bytes."""
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + _MASK_DELTA) & _ONES  # inlined `masked`, for speed


def _long(data: _Array, register: int) -> int:
    """Returns the register after `data`, which is folded first if it is long enough."""
    count = data.size // 8
    if count <= 2 * _FOLD[0]:
        return _side_by_side(data, register)
    words = data[: 8 * count].view("<u8").copy()
    words[0] ^= np.uint64(register)
    for times in (64, 8, 1):  # large steps first
        words = _folded(words, *(times * exponent for exponent in _FOLD))
    return _side_by_side(data[8 * count :], _side_by_side(words.view(np.uint8), 0))


def _folded(words: _Array, last: int, second: int, third: int) -> _Array:
    """Folds all of `words` onto the last `last` ones, in place, and returns these."""
    folds = words.size - last
    for start in range(0, folds, last - second):  # within a step, words don't affect each other
        stop = min(start + last - second, folds)
        for offset in (last - second, last - third, last):
            words[start + offset : stop + offset] ^= words[start:stop]
    return words[max(folds, 0) :]


def _side_by_side(data: _Array, register: int) -> int:
    """Returns the register after `data`, of any length, computed by strips."""
    if data.size < 4:
        for byte in data.tolist():
            register = _TABLE[(register ^ byte) & 0xFF] ^ register >> 8
        return register
    strips = 1 << max(0, (-(-data.size // _STRIP) - 1).bit_length())
    padded = np.zeros(strips * _STRIP, np.uint8)  # leading zeros change nothing
    start = padded.size - data.size
    padded[start:] = data
    padded[start : start + 4] ^= np.frombuffer(register.to_bytes(4, "little"), np.uint8)
    words = np.ascontiguousarray(padded.view("<u4").reshape(strips, -1).T)
    low, high = _shift_by(4, 16)
    crcs = np.zeros(strips, np.uint32)
    for word in words:
        crcs ^= word
        crcs = low[crcs & 0xFFFF] ^ high[crcs >> 16]
    length = _STRIP
    while crcs.size > 1:
        before, after = crcs[::2], crcs[1::2]
        crcs = after.copy()
        for place, table in enumerate(_shift_by(length, 8)):
            crcs ^= table[before >> 8 * place & 0xFF]
        length *= 2
    return int(crcs[0])


@lru_cache(64)
def _shift_by(length: int, bits: int) -> list[_Array]:
    """Returns tables that shift a register by `length` zero bytes, one for every `bits` bits."""
    columns = _columns(length)
    tables = []
    for first in range(0, 32, bits):
        table = np.zeros(1, np.uint32)
        for column in columns[first : first + bits]:
            table = np.concatenate([table, table ^ np.uint32(column)])
        tables.append(table)
    return tables


@lru_cache(64)
def _columns(length: int) -> list[int]:
    """Returns the effect of zero bytes on each bit of the register, as a matrix over GF(2)."""
    if length == 1:
        return [_TABLE[bit & 0xFF] ^ bit >> 8 for bit in (1 << i for i in range(32))]
    half, rest = _columns(length // 2), _columns(1)
    columns = [_applied(half, column) for column in half]
    return [_applied(rest, column) for column in columns] if length % 2 else columns


def _applied(columns: list[int], vector: int) -> int:
    out = 0
    for i, column in enumerate(columns):
        if vector >> i & 1:
            out ^= column
    return out
