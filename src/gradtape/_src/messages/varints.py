"""Numbers of variable length with seven bits per byte, as in the index of a checkpoint.

https://protobuf.dev/programming-guides/encoding/ describes them.
"""

from __future__ import annotations

from typing import Final

from gradtape._src.messages.reading import DecodeError

_LONGEST: Final = 10  # the maximum number of bytes of a 64-bit number
_MASK: Final = 0xFFFFFFFFFFFFFFFF


def varint(value: int) -> bytes:
    """Returns a number from 0 to 2 ** 64 - 1."""
    if value < 0x80:
        return bytes((value,))
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def read_varint(data: bytes, at: int) -> tuple[int, int]:
    """Reads the number that begins at an index; returns the number and the index after it.

    Raises:
      DecodeError: The number does not end.
    """
    value = shift = 0
    for place in range(at, min(at + _LONGEST, len(data))):
        byte = data[place]
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & _MASK, place + 1
        shift += 7
    raise DecodeError(f"a number at byte {at} does not end")
