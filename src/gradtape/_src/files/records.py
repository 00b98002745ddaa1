"""TFRecord files: sequences of records with checksums.

A record consists of the length of its data (8 bytes), the masked CRC-32C of these bytes, the data,
and the masked CRC-32C of the data; numbers have their low bytes first. The whole file may be
compressed by gzip or zlib.
"""

from __future__ import annotations

import gzip
import struct
import zlib
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import IO, Any, ClassVar, Protocol, Self

from gradtape._src.base.errors import (
    DataLossError,
    FailedPreconditionError,
    InvalidArgumentError,
    OpError,
)
from gradtape._src.base.export import export
from gradtape._src.files.crc32c import masked_crc32c
from gradtape._src.files.paths import as_tensorflow, local

KINDS = ("", "GZIP", "ZLIB")
NUMBERS = {0: "", 1: "ZLIB", 2: "GZIP"}
_HEADER = 12  # bytes
_AHEAD = 1 << 18  # the size of the read buffer in bytes
_PIECE = 1 << 20  # the bytes to read at a time, so that a wrong length does not fill the memory


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...

    def close(self) -> None: ...


@export("compat.v1.io.TFRecordCompressionType")
class TFRecordCompressionType:
    """The compressions of a file of records, as numbers for `TFRecordOptions`."""

    NONE = 0
    ZLIB = 1
    GZIP = 2


@export("io.TFRecordOptions")
class TFRecordOptions:
    """The format of a file of records.

    Args:
      compression_type: "GZIP", "ZLIB" or "", or a number of `TFRecordCompressionType`.
      flush_mode: Accepted for compatibility.
      input_buffer_size: Accepted for compatibility.
      output_buffer_size: Accepted for compatibility.
      window_bits: Accepted for compatibility.
      compression_level: From 0 (fast) to 9 (small).
      compression_method: Accepted for compatibility.
      mem_level: Accepted for compatibility.
      compression_strategy: Accepted for compatibility.

    Raises:
      ValueError: The compression type is unknown.
    """

    compression_type_map: ClassVar[dict[int, str]] = NUMBERS

    def __init__(
        self,
        compression_type: Any = None,
        flush_mode: int | None = None,
        input_buffer_size: int | None = None,
        output_buffer_size: int | None = None,
        window_bits: int | None = None,
        compression_level: int | None = None,
        compression_method: int | None = None,
        mem_level: int | None = None,
        compression_strategy: int | None = None,
    ) -> None:
        self.get_compression_type_string(compression_type)
        self.compression_type: Any = compression_type
        self.compression_level = -1 if compression_level is None else compression_level

    @classmethod
    def get_compression_type_string(cls, options: Any) -> str:
        """Returns the name of a compression.

        Args:
          options: `TFRecordOptions`, or a compression as a name or a number.

        Returns:
          "GZIP", "ZLIB" or "".

        Raises:
          ValueError: The compression type is unknown.
        """
        kind = options.compression_type if isinstance(options, TFRecordOptions) else options
        name = NUMBERS.get(kind, kind) or ""
        if name not in KINDS:
            raise ValueError(
                f'Not a valid compression_type: "{kind}". Use "GZIP", "ZLIB" or "" (none).'
            )
        return str(name)


def check_compression(kind: str | None) -> str:
    """Returns the name of a compression; raises InvalidArgumentError for an unknown one."""
    if (kind or "") not in KINDS:
        raise InvalidArgumentError(
            None, None, f'Unsupported compression_type: "{kind}"; use "GZIP", "ZLIB" or ""'
        )
    return kind or ""


def framed(record: bytes) -> bytes:
    """Returns a record with its length and checksums, as files hold it."""
    check = masked_crc32c(record).to_bytes(4, "little")
    return b"".join((_header(len(record)), record, check))


@lru_cache(1024)  # many records have the same length
def _header(length: int) -> bytes:
    """Returns a record's length with its checksum."""
    packed = length.to_bytes(8, "little")
    return packed + masked_crc32c(packed).to_bytes(4, "little")


@lru_cache(1024)
def _length(header: bytes) -> int | None:
    """Returns the length in a header, or None if its checksum is wrong."""
    packed = header[:8]
    matches = masked_crc32c(packed).to_bytes(4, "little") == header[8:]
    return int.from_bytes(packed, "little") if matches else None


@export("io.TFRecordWriter")
class TFRecordWriter:
    """Writes records to a file.

    Args:
      path: The file; an existing file is replaced.
      options: `TFRecordOptions`, or the compression as a string.
    """

    def __init__(self, path: Any, options: Any = None) -> None:
        chosen = options if isinstance(options, TFRecordOptions) else TFRecordOptions(options)
        self._compressor: Any = None
        if kind := TFRecordOptions.get_compression_type_string(chosen):
            bits = 31 if kind == "GZIP" else 15
            self._compressor = zlib.compressobj(chosen.compression_level, wbits=bits)
        name = local(path)
        with as_tensorflow(name):
            self._file: IO[bytes] | None = Path(name).open("wb", _AHEAD)  # noqa: SIM115

    def _opened(self) -> IO[bytes]:
        if self._file is None:
            raise FailedPreconditionError(None, None, "Writer is closed.")
        return self._file

    def write(self, record: Any) -> None:
        """Appends a record.

        Args:
          record: Bytes, or a string tensor's value.
        """
        if isinstance(record, str):
            record = record.encode()
        data = framed(bytes(record))
        self._opened().write(self._compressor.compress(data) if self._compressor else data)

    def flush(self) -> None:
        """Writes buffered data to the file."""
        file = self._opened()
        if self._compressor:
            file.write(self._compressor.flush(zlib.Z_SYNC_FLUSH))
        file.flush()

    def close(self) -> None:
        """Closes the file."""
        if self._file is None:
            return
        if self._compressor:
            self._file.write(self._compressor.flush())
        self._file.close()
        self._file = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_file", None) is not None:
            self.close()


class _Inflated:
    """A file object that decompresses zlib data."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._inflater = zlib.decompressobj()
        self._rest = b""

    def read(self, size: int, /) -> bytes:
        """Returns the next bytes; fewer at the end."""
        while len(self._rest) < size and not self._inflater.eof:
            data = self._inflater.unconsumed_tail or self._file.read(_PIECE)
            if not data:
                break
            self._rest += self._inflater.decompress(data, _PIECE)
        out, self._rest = self._rest[:size], self._rest[size:]
        return out

    def close(self) -> None:
        """Closes the file."""
        self._file.close()


def opened(path: Any, compression_type: str | None = None) -> _Readable:
    """Returns a file to read, decompressed."""
    kind = check_compression(compression_type)
    name = local(path)
    with as_tensorflow(name):
        if kind == "GZIP":
            return gzip.GzipFile(name, "rb")
        file = Path(name).open("rb")  # noqa: SIM115
    return _Inflated(file) if kind == "ZLIB" else file


def read(file: _Readable, size: int) -> bytes:
    """Reads bytes of a file from `opened`; fewer at its end.

    Raises:
      DataLossError: The compressed file is damaged.
    """
    try:
        data = file.read(min(size, _PIECE))
        if len(data) == size or len(data) < _PIECE:
            return data
        parts = [data]
        size -= len(data)
        while size and (data := file.read(min(size, _PIECE))):
            parts.append(data)
            size -= len(data)
        return b"".join(parts)
    except (zlib.error, EOFError, gzip.BadGzipFile, struct.error) as error:
        raise DataLossError(
            None, None, f"inflate() failed: {error} (is `compression_type` as when it was written?)"
        ) from None


def records(path: Any, compression_type: str | None = None) -> Iterator[bytes]:
    """Returns an iterator over the records of a file.

    Raises:
      NotFoundError: There is no such file.
      DataLossError: A record is damaged or cut short; raised during iteration. The message says at
        which byte of the uncompressed file it begins.
    """
    ahead = 0 if compression_type else _AHEAD  # damage must not hide the records before it
    return _records_of(opened(path, compression_type), path, ahead)


def _records_of(file: _Readable, path: Any, ahead: int) -> Iterator[bytes]:
    at = start = 0
    held = b""
    try:
        while True:
            if len(held) - start < _HEADER:
                held, start = _longer(file, held[start:], _HEADER, ahead), 0
                if not held:
                    return
            length = _length(held[start : start + _HEADER])
            if length is None:
                raise _lost("truncated" if len(held) < _HEADER else "corrupted", at, path)
            end = start + _HEADER + length
            if len(held) < end + 4:
                end -= start
                held, start = _longer(file, held[start:], end + 4, ahead), 0
                if len(held) < end + 4:
                    raise _lost("truncated", at, path)
            record = held[start + _HEADER : end]
            if masked_crc32c(record) != int.from_bytes(held[end : end + 4], "little"):
                raise _lost("corrupted", at, path)
            yield record
            start = end + 4
            at += 16 + length
    finally:
        file.close()


def _longer(file: _Readable, held: bytes, size: int, ahead: int) -> bytes:
    """Returns `held` and the bytes that follow, `size` or more unless the file ends before."""
    return held + read(file, max(size - len(held), ahead))


def _lost(what: str, at: int, path: Any) -> OpError:
    hint = "" if at else " (Is this even a TFRecord file?)"
    return DataLossError(None, None, f"{what} record at {at}{hint} in {local(path)}")


@export("compat.v1.io.tf_record_iterator")
def tf_record_iterator(path: Any, options: Any = None) -> Iterator[bytes]:
    """Returns an iterator over the records of a file.

    Args:
      path: The file.
      options: `TFRecordOptions`, or the compression as a string or a number.

    Returns:
      An iterator over bytes.

    Raises:
      ValueError: The compression type is unknown.
      NotFoundError: There is no such file.
      DataLossError: A record is damaged or cut short; raised during iteration.
    """
    return records(path, TFRecordOptions.get_compression_type_string(options))
