"""Sorted string tables, the format of LevelDB and of the index of TensorFlow's checkpoints.

A table is a file of blocks. A block holds values and sorted keys, each without the prefix that it
shares with the previous key, and is followed by a checksum. The last block before the footer is an
index of the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gradtape._src.files.crc32c import masked_crc32c
from gradtape._src.messages.reading import DecodeError
from gradtape._src.messages.varints import read_varint, varint

_MAGIC = 0xDB4775248B80FB57.to_bytes(8, "little")
_FOOTER = 48
_TRAILER = 5  # the type of compression and the checksum after each block
_PLAIN, _SNAPPY = 0, 1
_BLOCK = 4096  # the size in bytes at which a new block begins
_RESTART = 16  # the number of keys after which a key is written in full
_LARGEST = 1 << 28  # the maximum size of a compressed block; larger ones count as damage


def read_table(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yields the keys and values of a table, in order.

    Raises:
      DecodeError: The file is damaged, truncated or not a table.
    """
    if len(data) < _FOOTER or data[-8:] != _MAGIC:
        raise DecodeError("not an sstable (bad magic number)")
    footer = data[-_FOOTER:]
    _, _, place = _handle(footer, 0)  # the metadata block, which is empty
    offset, size, _ = _handle(footer, place)
    last = None
    for _, handle in _entries(_block(data, offset, size)):
        start, length, _ = _handle(handle, 0)
        for key, value in _entries(_block(data, start, length)):
            if last is not None and key <= last:
                raise DecodeError("the keys of the table are not in order")
            last = key
            yield key, value


def _handle(data: bytes, place: int) -> tuple[int, int, int]:
    offset, place = read_varint(data, place)
    size, place = read_varint(data, place)
    return offset, size, place


def _block(data: bytes, offset: int, size: int) -> bytes:
    """Returns the content of a block after checking its checksum."""
    end = offset + size
    if end + _TRAILER > len(data) - _FOOTER:
        raise DecodeError(f"a block should end at byte {end}, and the table has {len(data)}")
    if masked_crc32c(data[offset : end + 1]) != int.from_bytes(data[end + 1 : end + 5], "little"):
        raise DecodeError("block checksum mismatch")
    kind = data[end]
    if kind == _PLAIN:
        return data[offset:end]
    if kind == _SNAPPY:
        return unsnapped(data[offset:end])
    raise DecodeError(f"a block has the unknown compression type {kind}")


def _entries(block: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yields the keys and values of a block."""
    restarts = int.from_bytes(block[-4:], "little") if len(block) >= 4 else -1
    stop = len(block) - 4 * (restarts + 1)
    if restarts < 0 or stop < 0:
        raise DecodeError("a block is too short for its list of whole keys")
    key, place = b"", 0
    while place < stop:
        shared, place = read_varint(block, place)
        own, place = read_varint(block, place)
        size, place = read_varint(block, place)
        if shared > len(key) or own + size > stop - place:
            raise DecodeError("an entry reaches beyond its block")
        key = key[:shared] + block[place : place + own]
        place += own
        yield key, block[place : place + size]
        place += size


def unsnapped(data: bytes) -> bytes:
    """Decompresses bytes that Snappy compressed.

    Raises:
      DecodeError: The data is damaged.
    """
    size, place = read_varint(data, 0)
    if size > _LARGEST:
        raise DecodeError(f"a compressed block claims to hold {size} bytes")
    out = bytearray()
    while place < len(data) and len(out) <= size:
        tag = data[place]
        place += 1
        kind, length = tag & 3, (tag >> 2) + 1
        if kind == 0:  # literal bytes
            if length > 60:
                extra = length - 60
                length = int.from_bytes(data[place : place + extra], "little") + 1
                place += extra
            if length > len(data) - place:
                raise DecodeError("compressed data is cut off")
            out += data[place : place + length]
            place += length
            continue
        if kind == 1:  # a copy of earlier bytes
            length = (tag >> 2 & 7) + 4
        extra = (1, 2, 4)[kind - 1]
        back = int.from_bytes(data[place : place + extra], "little")
        if kind == 1:
            back |= (tag >> 5) << 8
        place += extra
        if place > len(data) or not 0 < back <= len(out):
            raise DecodeError("compressed data refers to missing bytes")
        piece = out[-back : len(out) - back + length] if back > length else out[-back:]
        out += (piece * (length // len(piece) + 1))[:length]
    if len(out) != size or place != len(data):
        raise DecodeError("compressed data does not have its stated length")
    return bytes(out)


def write_table(items: Iterable[tuple[bytes, bytes]]) -> bytes:
    """Returns a table of sorted keys and their values."""
    out = bytearray()

    def written(block: bytes) -> bytes:
        """Appends a block, and returns its position."""
        body = block + bytes([_PLAIN])
        handle = varint(len(out)) + varint(len(block))
        out.extend(body + masked_crc32c(body).to_bytes(4, "little"))
        return handle

    index, group, size = [], [], 0
    for key, value in items:
        group.append((key, value))
        size += len(key) + len(value)
        if size >= _BLOCK:
            index.append((key, written(_packed(group, _RESTART))))
            group, size = [], 0
    if group:
        index.append((group[-1][0], written(_packed(group, _RESTART))))
    description = written(_packed([], 1))
    handles = description + written(_packed(index, 1))
    return bytes(out) + handles.ljust(_FOOTER - 8, b"\0") + _MAGIC


def _packed(entries: list[tuple[bytes, bytes]], restart: int) -> bytes:
    """Returns a block of entries."""
    out, restarts, before = bytearray(), [], b""
    for i, (key, value) in enumerate(entries):
        shared = 0
        if i % restart == 0:
            restarts.append(len(out))
        else:
            while shared < min(len(key), len(before)) and key[shared] == before[shared]:
                shared += 1
        out += varint(shared) + varint(len(key) - shared) + varint(len(value))
        out += key[shared:] + value
        before = key
    restarts = restarts or [0]
    numbers = [*restarts, len(restarts)]
    return bytes(out) + b"".join(n.to_bytes(4, "little") for n in numbers)
