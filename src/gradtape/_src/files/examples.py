"""Reading the features of serialized examples."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, TypeAlias

import numpy as np

from gradtape._src.base.dtypes import DType, float32, int64, string
from gradtape._src.messages import protos
from gradtape._src.messages.reading import parsed

Array = np.ndarray[Any, Any]
Held: TypeAlias = tuple[DType, Any]
"""The type of a feature's values, and the values as the message has them."""

_DTYPES = {"bytes_list": string, "float_list": float32, "int64_list": int64}


def features_of(features: Mapping[str, Any], wanted: Iterable[str]) -> dict[str, Held]:
    """The features that somebody wants and that hold a list."""
    found: dict[str, Held] = {}
    for name in wanted:
        held = held_by(features[name]) if name in features else None
        if held is not None:
            found[name] = held
    return found


def held_by(feature: protos.Feature) -> Held | None:
    """What a feature holds, None if nothing."""
    kind = feature.WhichOneof("kind")
    return None if kind is None else (_DTYPES[kind], getattr(feature, kind).value)


def example_features(data: bytes, wanted: Iterable[str]) -> dict[str, Held]:
    """The features of a serialized `Example`.

    Raises:
      DecodeError: The bytes are no example.
    """
    return features_of(parsed(protos.Example, data).features.feature, wanted)


def sequence_features(
    data: bytes, wanted: Iterable[str], wanted_lists: Collection[str]
) -> tuple[dict[str, Held], dict[str, list[Held | None]]]:
    """The context and the lists of features of a serialized `SequenceExample`.

    Raises:
      DecodeError: The bytes are no such example.
    """
    example = parsed(protos.SequenceExample, data)
    lists = example.feature_lists.feature_list
    found = {
        name: [held_by(feature) for feature in lists[name].feature]
        for name in wanted_lists
        if name in lists
    }
    return features_of(example.context.feature, wanted), found


def values_of(held: Held) -> Array:
    """The values of a feature, a vector of its type."""
    dtype, values = held
    if dtype is not string:
        return np.array(values, dtype.np_dtype)
    out = np.empty(len(values), object)
    out[:] = values[:]
    return out
