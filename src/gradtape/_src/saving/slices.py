"""Slices of tensors in a checkpoint; partitioned variables are saved in this form."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._src.messages.reading import DecodeError

# the start and length on each axis; a length of -1 means the whole axis
Slice = tuple[tuple[int, int], ...]


def slice_key(name: bytes, place: Slice) -> bytes:
    """Returns the index key of a slice: 0, the name, the number of axes, starts and lengths.

    The encoding preserves order: keys sort like the values that they encode.
    """
    text = name.replace(b"\xff", b"\xff\x00").replace(b"\0", b"\0\xff")
    numbers = b"".join(_signed(start) + _signed(length) for start, length in place)
    return _number(0) + text + b"\0\x01" + _number(len(place)) + numbers


def _number(value: int) -> bytes:
    """Encodes a number as its byte count, followed by its bytes in big-endian order."""
    size = (value.bit_length() + 7) // 8
    return bytes([size]) + value.to_bytes(size, "big")


def _signed(value: int) -> bytes:
    """Encodes a number as a 1 bit for each byte, a 0 bit, and the bytes; inverted if negative."""
    magnitude = ~value if value < 0 else value
    size = magnitude.bit_length() // 7 + 1
    bits = magnitude | ((1 << size) - 1) << 7 * size
    if value < 0:
        bits = ~bits & ((1 << 8 * size) - 1)
    return bits.to_bytes(size, "big")


def joined(
    shape: tuple[int, ...], dtype: Any, parts: list[tuple[Slice, np.ndarray[Any, Any]]]
) -> np.ndarray[Any, Any]:
    """Returns a tensor that is assembled from slices.

    Raises:
      DecodeError: The slices do not cover the tensor, or they overlap.
    """
    if sum(part.size for _, part in parts) != np.prod(shape, dtype=object):
        raise DecodeError(f"the slices do not make up a tensor of shape {shape}")
    whole = np.empty(shape, dtype)
    filled = np.zeros(shape, np.bool_)
    for place, part in parts:
        where = _where(place, shape)
        if whole[where].shape != part.shape or filled[where].any():
            raise DecodeError(f"the slice {place} has a wrong shape, or overlaps another slice")
        whole[where] = part
        filled[where] = True
    return whole


def part_of_array(whole: np.ndarray[Any, Any], place: Slice) -> np.ndarray[Any, Any]:
    """Returns a slice of a tensor.

    Raises:
      DecodeError: The slice is not inside the tensor.
    """
    pairs = zip(place, whole.shape, strict=False)
    if len(place) != whole.ndim or any(not 0 <= a <= a + n <= m for (a, n), m in pairs):
        raise DecodeError(f"the slice {place} is outside of a tensor of the shape {whole.shape}")
    return whole[_where(place, whole.shape)]


def _where(place: Slice, shape: tuple[int, ...]) -> tuple[slice, ...]:
    if len(place) != len(shape):
        raise DecodeError(
            f"the slice {place} has a wrong shape, or overlaps another slice into a tensor of "
            f"shape {shape}"
        )
    return tuple(
        slice(0, n) if length < 0 else slice(start, start + length)
        for (start, length), n in zip(place, shape, strict=True)
    )
