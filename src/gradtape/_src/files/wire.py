"""The wire format of protocol buffers: numbered fields, one after the other.

https://protobuf.dev/programming-guides/encoding/ describes it. Whatever is not exactly that is a
`DecodeError`: data may come from anywhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np

from gradtape._src.compute.repeat_rows import repeated

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
_LONGEST: Final = 10  # bytes of a number of 64 bits
_SHORT: Final = 48  # bytes, up to which a loop is faster than NumPy
_MASK: Final = 0xFFFFFFFFFFFFFFFF

Array = np.ndarray[Any, Any]


class DecodeError(ValueError):
    """Bytes are no message of the kind expected."""


def varint(value: int) -> bytes:
    """A number, negative ones as of 64 bits."""
    value &= _MASK
    if value < 0x80:
        return bytes((value,))
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def read_varint(data: bytes, at: int) -> tuple[int, int]:
    """The number that begins at a place, and the place after it."""
    value = shift = 0
    for place in range(at, min(at + _LONGEST, len(data))):
        byte = data[place]
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & _MASK, place + 1
        shift += 7
    raise DecodeError(f"a number at byte {at} does not end")


def fields(data: bytes) -> Iterator[tuple[int, int, Any]]:
    """The fields of a message.

    Yields:
      The field's number, its wire type, and its value: a number for `VARINT`, else bytes.
    """
    at, end = 0, len(data)
    while at < end:
        key = data[at]
        if key < 0x80:
            at += 1
        else:
            key, at = read_varint(data, at)
        kind = key & 7
        if not 0 < key >> 3 < 1 << 29:
            raise DecodeError(f"a field with the number {key >> 3}")
        if kind == BYTES:
            size = data[at] if at < end else 0x80
            if size < 0x80:
                at += 1
            else:
                size, at = read_varint(data, at)
        elif kind == VARINT:
            value, at = read_varint(data, at)
            yield key >> 3, VARINT, value
            continue
        elif kind in (FIXED32, FIXED64):
            size = 4 if kind == FIXED32 else 8
        else:
            raise DecodeError(f"a field of wire type {kind}, which messages of today lack")
        if size > end - at:
            raise DecodeError(f"a field of {size} bytes where {end - at} are left")
        yield key >> 3, kind, data[at : at + size]
        at += size


def field(number: int, kind: int, value: bytes) -> bytes:
    """One field; for `BYTES` the length is put before the value."""
    key = varint(number << 3 | kind)
    return key + varint(len(value)) + value if kind == BYTES else key + value


def signed(value: int) -> int:
    """A number of 64 bits with its sign."""
    return value - (1 << 64) if value >> 63 else value


def read_varints(data: bytes) -> list[int]:
    """Numbers one after the other, with their signs."""
    if len(data) > _SHORT:
        out: list[int] = _many_varints(np.frombuffer(data, np.uint8)).tolist()
        return out
    found, at = [], 0
    while at < len(data):
        value, at = read_varint(data, at)
        found.append(signed(value))
    return found


def _many_varints(data: Array) -> Array:
    ends = np.flatnonzero(data < 0x80)
    starts = np.concatenate([[0], ends[:-1] + 1])
    lengths = ends - starts + 1
    if not ends.size or ends[-1] != data.size - 1 or lengths.max() > _LONGEST:
        raise DecodeError("packed numbers that do not end")
    shifts = 7 * (np.arange(data.size) - repeated(starts, lengths))
    parts = (data & 0x7F).astype(np.uint64) << shifts.astype(np.uint64)
    return np.add.reduceat(parts, starts).view(np.int64)


def varints(values: Sequence[int]) -> bytes:
    """Numbers one after the other."""
    if len(values) <= _SHORT:
        return b"".join(map(varint, values))
    numbers = np.array(values, np.int64).view(np.uint64)
    shifts = 7 * np.arange(_LONGEST, dtype=np.uint64)
    parts = numbers[:, None] >> shifts
    used = parts > 0
    used[:, 0] = True
    more = np.concatenate([used[:, 1:], np.zeros((len(numbers), 1), bool)], axis=1)
    out = (parts & np.uint64(0x7F)).astype(np.uint8) | (more.astype(np.uint8) << 7)
    return out[used].tobytes()
