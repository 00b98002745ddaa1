"""Checkpoints of TensorFlow's first format: a table in a single file."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import as_dtype
from gradtape._src.base.errors import UnimplementedError
from gradtape._src.files.atomic_write import replacing
from gradtape._src.messages import protos
from gradtape._src.messages.varints import read_varint, varint
from gradtape._src.saving.bundle import Sliced
from gradtape._src.saving.table import read_table, write_table

_FIELDS = {
    "float32": "float_val",
    "float64": "double_val",
    "int32": "int_val",
    "int16": "int_val",
    "int8": "int_val",
    "uint8": "int_val",
    "uint16": "int_val",
    "int64": "int64_val",
    "bool": "bool_val",
    "string": "string_val",
}
"""For each dtype, the field of a `TensorProto` with the elements."""
_VERSION = b"\x12\x02\x08\x01"
_WHOLE = b"\x80\x7f"  # the slice of an axis: the whole axis, beginning at 0


def write_old(path: str, tensors: Mapping[str, Any]) -> None:
    """Writes raw values by name; values in parts are written as a whole.

    Args:
      path: The file.
      tensors: The values.

    Raises:
      UnimplementedError: A dtype is not supported by the format.
    """
    entries: list[tuple[bytes, bytes]] = []
    descriptions = b""
    whole = {name: x.whole() if isinstance(x, Sliced) else x for name, x in tensors.items()}
    for name, value in sorted((name.encode(), np.asarray(x)) for name, x in whole.items()):
        slices = protos.TensorSliceProto(extent=[{} for _ in value.shape]).SerializeToString()
        shape = protos.TensorShapeProto(dim=[{"size": n} for n in value.shape])
        kind = as_dtype(value.dtype)
        said = [(1, name), (2, shape.SerializeToString()), (3, kind.as_datatype_enum), (4, slices)]
        descriptions += _message([(1, _message(said))])
        data = _elements(kind.name, value).SerializeToString()
        saved = _message([(1, name), (2, slices), (3, data)])
        entries.append((_key(name, value.ndim), _message([(2, saved)])))
    with replacing(path) as file:
        file.write(write_table([(b"", _message([(1, descriptions + _VERSION)])), *entries]))


def _elements(kind: str, value: Any) -> protos.TensorProto:
    if kind not in _FIELDS:
        raise UnimplementedError(
            None, None, f"Checkpoints of the first format cannot hold {kind}: use SaverDef.V2"
        )
    return protos.TensorProto(**{_FIELDS[kind]: value.reshape(-1).tolist()})


def _key(name: bytes, rank: int) -> bytes:
    """Returns the key of a whole tensor; entries are sorted by key."""
    text = name.replace(b"\xff", b"\xff\x00").replace(b"\x00", b"\x00\xff")
    axes = bytes([1, rank]) if rank else b"\x00"
    return b"\x00" + text + b"\x00\x01" + axes + _WHOLE * rank


def _message(fields: list[tuple[int, Any]]) -> bytes:
    """Encodes a message of integers and length-delimited fields."""
    parts = [
        varint(number << 3) + varint(value)
        if isinstance(value, int)
        else varint(number << 3 | 2) + varint(len(value)) + value
        for number, value in fields
    ]
    return b"".join(parts)


def is_old(path: str) -> bool:
    """Returns whether a path is a file, which only checkpoints of the first format are.

    Args:
      path: The path.

    Returns:
      True or False.
    """
    return Path(path).is_file()


def read_old(path: str) -> dict[str, np.ndarray[Any, Any]]:
    """Reads a checkpoint of the first format.

    Args:
      path: The file.

    Returns:
      Arrays by name.

    Raises:
      DataLossError: The file is damaged.
      UnimplementedError: A variable was saved in parts.
    """
    specs: dict[bytes, Any] = {}
    found: dict[str, np.ndarray[Any, Any]] = {}
    for key, entry in read_table(Path(path).read_bytes()):
        for number, body in _fields(entry):
            if not key and number == 1:
                described = [dict(_fields(said)) for n, said in _fields(body) if n == 1]
                specs = {one[1]: one for one in described}
            elif number == 2:
                saved = dict(_fields(body))
                name = saved[1]
                found[name.decode()] = _array(specs[name], saved)
    return found


def _array(spec: Mapping[int, Any], saved: Mapping[int, Any]) -> np.ndarray[Any, Any]:
    shape = [d.size for d in protos.TensorShapeProto.FromString(spec.get(2, b"")).dim]
    part = protos.TensorSliceProto.FromString(saved.get(2, b""))
    if any(extent.HasField("length") for extent in part.extent):
        raise UnimplementedError(None, None, "a variable that was saved in parts")
    kind = as_dtype(spec[3])
    values = getattr(protos.TensorProto.FromString(saved[3]), _FIELDS[kind.name])
    array = np.array(list(values), kind.np_dtype)
    if array.size == 1 < math.prod(shape):  # One stored value stands for all.
        array = np.repeat(array, math.prod(shape))
    return array.reshape(shape)


def _fields(data: bytes) -> Iterator[tuple[int, Any]]:
    """Yields the fields of a message: integers, and bytes of length-delimited fields."""
    place = 0
    while place < len(data):
        tag, place = read_varint(data, place)
        value, place = read_varint(data, place)
        if tag & 7 == 2:
            yield tag >> 3, data[place : place + value]
            place += value
        else:
            yield tag >> 3, value
