"""Tensors by name in files, as TensorFlow's `SaveV2` writes them.

`PREFIX.index` is a table: the entry "" describes the whole bundle, and the entry of each name holds
a tensor's dtype and shape, the position of its bytes in `PREFIX.data-?????-of-?????`, and their
checksum.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TypeVar

import numpy as np

from gradtape._src.base.dtypes import DType, as_dtype, dtype_of
from gradtape._src.base.errors import (
    DataLossError,
    InvalidArgumentError,
    NotFoundError,
    UnimplementedError,
)
from gradtape._src.files.atomic_write import alone, clear_temporary, replacing
from gradtape._src.files.crc32c import crc32c, masked
from gradtape._src.files.damaged_input import reading
from gradtape._src.files.gfile import makedirs
from gradtape._src.files.paths import is_directory, local, opened
from gradtape._src.messages import protos
from gradtape._src.messages.reading import DecodeError, parsed
from gradtape._src.messages.varints import read_varint, varint
from gradtape._src.saving.slices import Slice, joined, part_of_array, slice_key
from gradtape._src.saving.table import read_table, write_table

GRAPH_KEY = "_CHECKPOINTABLE_OBJECT_GRAPH"
_MOST_AXES = 64  # the number of bytes of an array
_Graph = TypeVar("_Graph")


def data_file(prefix: str, shard: int, shards: int) -> str:
    """Returns the name of a file of tensors."""
    return f"{prefix}.data-{shard:05d}-of-{shards:05d}"


@dataclass(frozen=True, slots=True)
class Entry:
    """The entry of a tensor in the index."""

    dtype: DType
    shape: tuple[int, ...]
    shard: int
    offset: int
    size: int
    crc: int
    slices: tuple[Slice, ...]  # the slices of a partitioned tensor

    @classmethod
    def parse(cls, data: bytes) -> Entry:
        """Reads the entry of a tensor.

        Raises:
          DecodeError: The bytes are not a valid entry.
        """
        message = parsed(protos.BundleEntryProto, data)
        shape = tuple(dim.size for dim in message.shape.dim)
        if len(shape) > _MOST_AXES or any(n < 0 for n in shape):
            raise DecodeError(f"a tensor has the shape {shape}")
        try:
            dtype = as_dtype(message.dtype)
        except TypeError:
            raise DecodeError(f"a tensor has the unknown dtype {message.dtype}") from None
        place = message.shard_id, message.offset, message.size
        if min(place) < 0:
            raise DecodeError("a tensor has a negative offset")
        slices = tuple(
            tuple(
                (axis.start, axis.length if axis.HasField("length") else -1) for axis in part.extent
            )
            for part in message.slices
        )
        return cls(dtype, shape, *place, message.crc32c, slices)

    def packed(self) -> bytes:
        """Returns the entry as bytes of the index."""
        entry = protos.BundleEntryProto(
            dtype=self.dtype.as_datatype_enum,
            shape=shape_message(self.shape),
            shard_id=self.shard,
            offset=self.offset,
            size=self.size,
            crc32c=self.crc,
            slices=[{"extent": [{"start": a, "length": n} for a, n in x]} for x in self.slices],
        )
        return entry.SerializeToString()


def shape_message(shape: Iterable[int | None]) -> protos.TensorShapeProto:
    """Returns a shape as a message; None is an unknown length."""
    return protos.TensorShapeProto(dim=[{"size": -1 if n is None else n} for n in shape])


class CheckpointReader:
    """Reads the tensors of a checkpoint, one by one.

    Args:
      filename: The checkpoint's path without the suffixes of its files, such as "dir/ckpt-1".

    Raises:
      NotFoundError: There is no such checkpoint.
      DataLossError: The checkpoint's index is damaged.
    """

    def __init__(self, filename: Any) -> None:
        self._prefix = prefix = local(filename)
        self._open: dict[int, BinaryIO] | None = None
        try:
            with opened(prefix + ".index") as file:
                index = file.read()
        except (NotFoundError, InvalidArgumentError):  # The name may be too long for a file name.
            if is_directory(prefix):
                raise DataLossError(
                    None,
                    None,
                    f"Unable to open table file {prefix}: it is a directory. Pass the path of a "
                    "checkpoint in it: tf.train.latest_checkpoint gives the last one.",
                ) from None
            raise NotFoundError(
                None,
                None,
                "Unsuccessful TensorSliceReader constructor: Failed to find any matching files "
                f"for {prefix}",
            ) from None
        with self._reading("index"):
            table = dict(read_table(index))
            header = parsed(protos.BundleHeaderProto, table.pop(b""))
            self._shards = header.num_shards
            if header.endianness:
                raise UnimplementedError(None, None, f"{prefix} was written in big-endian order")
            self._entries_by_key = {key: Entry.parse(value) for key, value in table.items()}
            names = [key for key in self._entries_by_key if not key.startswith(b"\0")]
            self._entries_by_name = {
                key.decode(): self._entries_by_key[key] for key in sorted(names)
            }

    def _reading(self, what: str) -> reading:
        return reading(f"TensorBundle at {self._prefix}: {what}")

    def check_total(self, names: Iterable[str]) -> None:
        """Checks that the files have at least as many bytes as the given tensors need together.

        Raises:
          DataLossError: The files have fewer bytes. (A damaged index may refer to the same bytes
            many times.)
          NotFoundError: A file of tensors is missing.
        """
        entries = [self._entries_by_key[key] for name in names for key in self._parts(name)]
        with self._reading("tensors"):
            self._check_total(entries)

    def _parts(self, name: str) -> list[bytes]:
        """Returns the keys of the entries whose bytes make up a tensor."""
        entry, key = self._entries_by_name[name], name.encode()
        keys = [slice_key(key, place) for place in entry.slices] if entry.slices else [key]
        return [key for key in keys if key in self._entries_by_key]

    def _check_total(self, entries: list[Entry]) -> None:
        total, there = sum(entry.size for entry in entries), 0
        for shard in {entry.shard for entry in entries}:
            with self._file(shard) as file:
                there += file.seek(0, 2)
        if total > there:
            raise DecodeError(f"they take {total} bytes, but the files have {there}")

    def object_graph(self, parse: Callable[[bytes], _Graph]) -> _Graph:
        """Returns the object graph of the checkpoint.

        Args:
          parse: A function that parses the bytes of the graph.

        Raises:
          DataLossError: The graph is damaged.
          NotFoundError: The checkpoint has no object graph.
        """
        held = self.read(GRAPH_KEY)
        with self._reading("the graph of objects"):
            if held.shape != () or held.dtype != object:
                raise DecodeError(f"it is a tensor of shape {held.shape}, dtype {held.dtype}")
            return parse(held.item())

    def has_tensor(self, tensor_str: str) -> bool:
        """Returns whether the checkpoint has a tensor of this name."""
        return tensor_str in self._entries_by_name

    def get_variable_to_shape_map(self) -> dict[str, list[int]]:
        """Returns the shape of each tensor by name."""
        return {name: list(entry.shape) for name, entry in self._entries_by_name.items()}

    def get_variable_to_dtype_map(self) -> dict[str, DType]:
        """Returns the dtype of each tensor by name."""
        return {name: entry.dtype for name, entry in self._entries_by_name.items()}

    def debug_string(self) -> bytes:
        """Returns a text with the name, dtype and shape of each tensor on a line."""
        lines = [
            f"{name} (DT_{_ENUM_NAMES.get(entry.dtype.name, entry.dtype.name.upper())}) "
            f"[{','.join(map(str, entry.shape))}]\n"
            for name, entry in self._entries_by_name.items()
        ]
        return "".join(lines).encode()

    def get_tensor(self, tensor_str: str) -> np.ndarray[Any, Any] | np.generic | bytes:
        """Returns the value of a tensor: an array, or a NumPy scalar or `bytes` if its rank is 0.

        Raises:
          NotFoundError: The checkpoint has no tensor of this name, or its file is missing.
          DataLossError: The tensor's bytes are damaged.
        """
        value = self.read(tensor_str)
        return value if value.ndim else value[()]

    def entry(self, name: str) -> Entry | None:
        """Returns the index entry of a tensor, or None if there is no tensor of this name."""
        return self._entries_by_name.get(name)

    @contextmanager
    def files_open(self) -> Iterator[None]:
        """Keeps the files that are read open until the `with` block ends."""
        self._open = {}
        try:
            yield
        finally:
            files, self._open = self._open, None
            for file in files.values():
                file.close()

    @contextmanager
    def _file(self, shard: int) -> Iterator[BinaryIO]:
        name = data_file(self._prefix, shard, self._shards)
        if self._open is None:
            with opened(name) as file:
                yield file
            return
        if shard not in self._open:
            self._open[shard] = opened(name)
        yield self._open[shard]

    def read(self, name: str) -> np.ndarray[Any, Any]:
        """Returns the value of a tensor as a new array; raises the errors of `get_tensor`."""
        entry = self._entries_by_name.get(name)
        if entry is None:
            raise NotFoundError(None, None, f"Key {name} not found in checkpoint")
        with self._reading(f"tensor {name!r}"):
            return self._whole(name, entry) if entry.slices else self._read(name, entry)

    def read_slice(self, name: str, place: Slice) -> np.ndarray[Any, Any]:
        """Returns a part of a tensor, which needs no other parts of it that were saved apart.

        Args:
          name: The name of the tensor.
          place: The start and length on each axis.

        Raises:
          NotFoundError: The checkpoint has no tensor of this name, or its file is missing.
          DataLossError: The tensor's bytes are damaged, or the part is not inside the tensor.
        """
        entry = self._entries_by_name.get(name)
        if entry is not None and place in entry.slices:
            part = self._entries_by_key.get(slice_key(name.encode(), place))
            if part is not None:
                with self._reading(f"tensor {name!r}"):
                    return self._read(name, part)
        whole = self.read(name)
        with self._reading(f"tensor {name!r}"):
            return part_of_array(whole, place)

    def _whole(self, name: str, entry: Entry) -> np.ndarray[Any, Any]:
        """Returns a partitioned tensor, assembled from its slices."""
        parts = []
        self._check_total([self._entries_by_key[key] for key in self._parts(name)])
        for place in entry.slices:
            key = slice_key(name.encode(), place)
            part = self._entries_by_key.get(key)
            if part is None or part.dtype is not entry.dtype:
                raise DecodeError(f"the slice {place} is missing")
            parts.append((place, self._read(name, part)))
        return joined(entry.shape, entry.dtype.np_dtype, parts)

    def _read(self, name: str, entry: Entry) -> np.ndarray[Any, Any]:
        count = math.prod(entry.shape)
        text = entry.dtype.name == "string"
        if not text and (not entry.dtype.size or entry.size != count * entry.dtype.size):
            if not entry.dtype.size:
                raise UnimplementedError(
                    None, None, f"{name!r} is of the dtype {entry.dtype.name}, which only "
                    "TensorFlow can read"
                )  # fmt: skip
            raise DecodeError(
                f"the size of an entry, {entry.size} bytes, does not match its dtype "
                f"{entry.dtype.name} and shape {entry.shape}"
            )
        with self._file(entry.shard) as file:
            there = file.seek(0, 2)
            if entry.offset + entry.size > there:
                raise DecodeError(
                    f"its {entry.size} bytes should begin at byte {entry.offset}, and the file "
                    f"has {there}"
                )
            file.seek(entry.offset)
            if text:
                return _strings(file.read(entry.size), count, entry).reshape(entry.shape)
            try:
                value = np.empty(entry.shape, entry.dtype.np_dtype)
            # A shape with a length of 0 may have other lengths that are too large to address.
            except ValueError as error:
                raise DecodeError(str(error)) from None
            raw = value.reshape(-1).view(np.uint8)
            file.readinto(raw.data)  # type: ignore[attr-defined]
        _check(crc32c(raw), entry)
        return raw.astype(np.bool_).reshape(entry.shape) if entry.dtype.is_bool else value


_ENUM_NAMES = {"float32": "FLOAT", "float64": "DOUBLE", "float16": "HALF"}


def _check(crc: int, entry: Entry) -> None:
    if masked(crc) != entry.crc:
        raise DecodeError(
            f"Checksum does not match: stored {entry.crc} vs. calculated on the restored bytes "
            f"{masked(crc)}"
        )


def _strings(data: bytes, count: int, entry: Entry) -> np.ndarray[Any, Any]:
    """Decodes strings: their lengths, a checksum of the lengths, and then all bytes."""
    if count > len(data):
        raise DecodeError(f"{len(data)} bytes can't hold {count} strings")
    lengths, place = [], 0
    for _ in range(count):
        length, place = read_varint(data, place)
        lengths.append(length)
    start = place + 4
    if start + sum(lengths) != len(data):
        raise DecodeError("the lengths of the strings differ from those that are stated")
    crc = crc32c(_packed_lengths(lengths))
    if masked(crc) != int.from_bytes(data[place:start], "little"):
        raise DecodeError("the checksum of the strings' lengths does not match")
    _check(crc32c(memoryview(data)[place:], crc), entry)
    out = np.empty(count, object)
    for i, length in enumerate(lengths):
        out[i] = data[start : start + length]
        start += length
    return out


def _packed_lengths(lengths: list[int]) -> bytes:
    return b"".join(n.to_bytes(4 if n < 1 << 32 else 8, "little") for n in lengths)


def _packed_strings(value: np.ndarray[Any, Any]) -> tuple[list[Any], int]:
    strings = [s.encode() if isinstance(s, str) else bytes(s) for s in value.reshape(-1).tolist()]
    lengths = [len(s) for s in strings]
    crc = crc32c(_packed_lengths(lengths))
    body = masked(crc).to_bytes(4, "little") + b"".join(strings)
    return [b"".join(map(varint, lengths)), body], crc32c(body, crc)


def _chunks(value: Any) -> tuple[DType, tuple[int, ...], list[Any], int]:
    """Returns the dtype and shape of a raw value, its bytes in chunks, and their checksum."""
    array = np.asarray(value, object if isinstance(value, (bytes, str)) else None)
    dtype = dtype_of(array)
    if dtype.name == "string":
        return dtype, array.shape, *_packed_strings(array)
    raw = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    return dtype, array.shape, [raw.data], crc32c(raw)


class Sliced(NamedTuple):
    """A tensor that is saved in parts.

    Attributes:
      shape: The shape of the whole tensor.
      parts: The places and values of the parts.
    """

    shape: tuple[int, ...]
    parts: list[tuple[Slice, np.ndarray[Any, Any]]]

    def whole(self) -> np.ndarray[Any, Any]:
        """Returns the whole tensor.

        Raises:
          DecodeError: The parts do not cover the tensor, or they overlap.
        """
        return joined(self.shape, self.parts[0][1].dtype, self.parts)


def write_bundle(prefix: str, tensors: Mapping[str, Any]) -> None:
    """Writes raw values, or values in parts, by name.

    An existing checkpoint stays intact until its index is replaced in one atomic step, since the
    new bytes are written to a file that it does not use.

    Raises:
      OpError: The files can't be written. The class is TensorFlow's error for the cause.
    """
    directory = Path(prefix).parent
    makedirs(str(directory))
    # The index of one writer must not be combined with the data of another one.
    with alone(directory):
        clear_temporary(directory)
        _write_pair(prefix, tensors)


def _write_pair(prefix: str, tensors: Mapping[str, Any]) -> None:
    shards = next(n for n in itertools.count(1) if not Path(data_file(prefix, 0, n)).exists())
    header = protos.BundleHeaderProto(num_shards=shards, version={"producer": 1})
    index = [(b"", header.SerializeToString())]
    target = data_file(prefix, 0, shards)
    with replacing(target) as file:
        offset = 0
        for name, value in _entries(tensors, index):
            dtype, shape, pieces, crc = _chunks(value)
            size = sum(file.write(piece) for piece in pieces)
            index.append((name, Entry(dtype, shape, 0, offset, size, masked(crc), ()).packed()))
            offset += size
    try:
        with replacing(prefix + ".index") as file:
            file.write(write_table(sorted(index)))
    except BaseException:
        with suppress(OSError):
            Path(target).unlink()
        raise
    _remove_data(prefix, but=target)


def _entries(
    tensors: Mapping[str, Any], index: list[tuple[bytes, bytes]]
) -> Iterator[tuple[bytes, Any]]:
    """Yields the keys and values to write, and adds tensors of several parts to the index."""
    for name, value in sorted((name.encode(), value) for name, value in tensors.items()):
        if not isinstance(value, Sliced):
            yield name, value
            continue
        places = tuple(place for place, _ in value.parts)
        dtype = dtype_of(value.parts[0][1])
        index.append((name, Entry(dtype, value.shape, 0, 0, 0, 0, places).packed()))
        for place, part in value.parts:
            yield slice_key(name, place), part


def _remove_data(prefix: str, but: str = "") -> None:
    base = Path(prefix).name
    for path in Path(prefix).parent.iterdir():
        if path.name.startswith(f"{base}.data-") and path.name != Path(but).name:
            with suppress(OSError):
                path.unlink()


def remove_bundle(prefix: str) -> None:
    """Removes a checkpoint, its index first."""
    with suppress(OSError):
        Path(prefix + ".index").unlink()
    with suppress(OSError):
        _remove_data(prefix)
