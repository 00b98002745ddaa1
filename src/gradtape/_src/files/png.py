"""PNG files (RFC 2083): writes them, and reads those of 16 bits, which Pillow supports in part."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np

SIGNATURE = b"\x89PNG\r\n\x1a\n"
_COLOR_OF_CHANNELS = {1: 0, 2: 4, 3: 2, 4: 6}
_CHANNELS_OF_COLOR = {color: n for n, color in _COLOR_OF_CHANNELS.items()}
_LARGEST = 1 << 29  # the maximum number of pixels, since the header may be wrong

Array = np.ndarray[Any, Any]


def _chunk(kind: bytes, data: bytes) -> bytes:
    check = struct.pack(">I", zlib.crc32(kind + data))
    return struct.pack(">I", len(data)) + kind + data + check


def encoded(image: Array, level: int) -> bytes:
    """Encodes an image of 8 or 16 bits, of shape (height, width, channels), as a PNG file."""
    height, width, channels = image.shape
    bits = 8 * image.itemsize
    header = struct.pack(">IIBBBBB", width, height, bits, _COLOR_OF_CHANNELS[channels], 0, 0, 0)
    lines = (
        np.ascontiguousarray(image.astype(f">u{image.itemsize}")).view(np.uint8).reshape(height, -1)
    )
    up = np.diff(lines, axis=0, prepend=np.zeros((1, lines.shape[1]), np.uint8))
    filtered = np.concatenate([np.full((height, 1), 2, np.uint8), up], axis=1)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(filtered.tobytes(), level)), (b"IEND", b""))
    return SIGNATURE + b"".join(_chunk(*part) for part in parts)


def is_of_16_bits(data: bytes) -> bool:
    """Returns whether a PNG file has 16 bits for each sample."""
    return data[24:25] == b"\x10"


def decoded(data: bytes) -> Array:
    """Returns the image in a PNG file of 16 bits, of shape (height, width, channels).

    Raises:
      ValueError: The file is damaged, or interlaced.
    """
    chunks = list(_chunks(data))
    if not chunks or chunks[0][0] != b"IHDR":
        raise ValueError("the header is missing")
    width, height, bits, color, _, _, interlaced = struct.unpack(">IIBBBBB", chunks[0][1])
    if bits != 16 or not width or not height:
        raise ValueError(
            f"expected 16 bits per channel and at least one pixel, got {bits} bits and {width} x "
            f"{height} pixels"
        )
    if color not in _CHANNELS_OF_COLOR or width * height > _LARGEST:
        raise ValueError(
            f"the color type {color} is unknown, or the size {width} x {height} exceeds the limit"
        )
    if interlaced:
        raise ValueError("interlaced images of 16 bits are not read")
    step = 2 * _CHANNELS_OF_COLOR[color]
    size = height * (1 + width * step)
    inflater = zlib.decompressobj()
    held = inflater.decompress(b"".join(part for kind, part in chunks if kind == b"IDAT"), size + 1)
    if len(held) != size:
        raise ValueError(
            f"the image of {width} x {height} pixels needs {size} bytes, but the file has "
            f"{len(held)}"
        )
    lines = np.frombuffer(held, np.uint8).reshape(height, -1)
    out = np.empty((height, width * step), np.uint8)
    before = np.zeros(width * step, np.uint8)
    for line, row in zip(lines, out, strict=True):
        row[:] = before = _unfiltered(int(line[0]), line[1:], before, step)
    return out.view(">u2").astype(np.uint16).reshape(height, width, -1)


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = len(SIGNATURE)
    while at < len(data):
        head = data[at : at + 8]
        if len(head) < 8:
            raise ValueError("the file is cut short")
        size, kind = struct.unpack(">I4s", head)
        body, check = data[at + 8 : at + 8 + size], data[at + 8 + size : at + 12 + size]
        if len(check) < 4 or struct.unpack(">I", check)[0] != zlib.crc32(kind + body):
            raise ValueError(f"the chunk {kind!r} is damaged")
        yield kind, body
        if kind == b"IEND":
            return
        at += 12 + size


def _unfiltered(kind: int, line: Array, before: Array, step: int) -> Array:
    """Reverses the filter of one line of samples; `before` is the line above."""
    if kind == 0:
        return line
    if kind == 1:
        return line.reshape(-1, step).cumsum(0, dtype=np.uint8).reshape(-1)
    if kind == 2:
        return line + before
    if kind not in (3, 4):
        raise ValueError(f"the filter type {kind} of a line is unknown")
    out, above = [0] * step + line.tolist(), [0] * step + before.tolist()
    for i in range(step, len(out)):
        left, up, corner = out[i - step], above[i], above[i - step]
        guess = (left + up) // 2 if kind == 3 else _paeth(left, up, corner)
        out[i] = out[i] + guess & 0xFF
    return np.array(out[step:], np.uint8)


def _paeth(left: int, up: int, corner: int) -> int:
    """Returns the one of three neighbours that is nearest to left + up - corner."""
    guess = left + up - corner
    a, b, c = abs(guess - left), abs(guess - up), abs(guess - corner)
    if a <= b and a <= c:
        return left
    return up if b <= c else corner
