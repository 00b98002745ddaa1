"""Reading the features of serialized examples, without making messages of them."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import DType, float32, int64, string
from gradtape._src.files import wire
from gradtape._src.files.message import read_scalars

Array = np.ndarray[Any, Any]
Held = tuple[DType, bytes]
"""The type of a feature's values, and the bytes of the list that holds them."""

_KINDS = {1: (string, "bytes"), 2: (float32, "float"), 3: (int64, "int64")}
_NAMES = {string: "bytes", float32: "float", int64: "int64"}


def features_of(data: bytes, wanted: Container[str]) -> dict[str, Held]:
    """The features of a serialized `Features` message that somebody wants and that hold a list."""
    found: dict[str, Held] = {}
    for name, feature in _entries(data, wanted):
        held = held_by(feature)
        if held is not None:
            found[name] = held
        else:
            found.pop(name, None)
    return found


def _entries(data: bytes, wanted: Container[str]) -> list[tuple[str, bytes]]:
    """The keys and values of a map of messages, which is field 1 of the message around it."""
    out = []
    for number, kind, entry in wire.fields(data):
        if number != 1 or kind != wire.BYTES:
            continue
        name, value = "", b""
        for part, kind_of_part, held in wire.fields(entry):
            if kind_of_part == wire.BYTES:
                if part == 1:
                    name = held.decode()
                elif part == 2:
                    value = held
        if name in wanted:
            out.append((name, value))
    return out


def held_by(feature: bytes) -> Held | None:
    """What a serialized `Feature` holds, None if nothing."""
    found = None
    for number, kind, value in wire.fields(feature):
        if number in _KINDS and kind == wire.BYTES:
            found = _KINDS[number][0], value
    return found


def example_features(data: bytes, wanted: Container[str]) -> dict[str, Held]:
    """The features of a serialized `Example`.

    Raises:
      DecodeError: The bytes are no example.
    """
    parts = [
        value for number, kind, value in wire.fields(data) if number == 1 and kind == wire.BYTES
    ]
    return features_of(b"".join(parts), wanted)


def sequence_features(
    data: bytes, wanted: Container[str], wanted_lists: Container[str]
) -> tuple[dict[str, Held], dict[str, list[Held | None]]]:
    """The context and the lists of features of a serialized `SequenceExample`.

    Raises:
      DecodeError: The bytes are no such example.
    """
    context, lists = b"", b""
    for number, kind, value in wire.fields(data):
        if kind == wire.BYTES and number == 1:
            context += value
        elif kind == wire.BYTES and number == 2:
            lists += value
    found = {
        name: [
            held_by(feature)
            for number, kind, feature in wire.fields(value)
            if number == 1 and kind == wire.BYTES
        ]
        for name, value in _entries(lists, wanted_lists)
    }
    return features_of(context, wanted), found


def values_of(held: Held) -> Array:
    """The values of a feature, a vector of its type."""
    dtype, data = held
    kind = _NAMES[dtype]
    parts = [
        read_scalars(kind, wire_type, value)
        for number, wire_type, value in wire.fields(data)
        if number == 1
    ]
    flat = parts[0] if len(parts) == 1 else [value for part in parts for value in part]
    if dtype is not string:
        return np.array(flat, dtype.np_dtype)
    out = np.empty(len(flat), object)
    out[:] = flat
    return out
