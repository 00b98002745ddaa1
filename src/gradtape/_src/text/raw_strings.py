"""Raw operations on strings that differ from the public functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._src.base.dtypes import int64, string
from gradtape._src.base.export import raw_op
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import invalid
from gradtape._src.declare.graph_operations import New, graph_operation
from gradtape._src.ops.array.shaping import reshape
from gradtape._src.ops.types.ragged_tensor import RaggedTensor
from gradtape._src.text.unicode import unicode_decode, unicode_decode_with_offsets, unicode_encode
from gradtape._src.text.values import strings


def _parts_result(new: New, *_: Any, **__: Any) -> tuple[Tensor, ...]:
    return new([None, 2], int64), new([None], string), new([2], int64)


@raw_op("StringSplitV2")
@graph_operation("StringSplitV2", _parts_result)
def string_split(
    input: Any, sep: Any, maxsplit: int = -1, name: str | None = None
) -> tuple[Tensor, ...]:
    """Splits strings to the indices, values and shape of a sparse matrix."""
    texts = convert_to_tensor(input, string)._value
    separator = convert_to_tensor(sep, string)._value.item() or None
    if texts.ndim != 1:
        raise invalid(f"input must be a vector, got shape: {list(texts.shape)} [Op:StringSplitV2]")
    return _sparse_parts([text.split(separator, maxsplit) for text in texts])


@raw_op("StringSplit")
@graph_operation("StringSplit", _parts_result)
def string_split_v1(
    input: Any, delimiter: Any, skip_empty: bool = True, name: str | None = None
) -> tuple[Tensor, ...]:
    """Splits strings at each of the given characters, or into bytes if none are given."""
    texts = convert_to_tensor(input, string)._value
    if texts.ndim != 1:
        raise invalid(f"input must be a vector, got shape: {list(texts.shape)} [Op:StringSplit]")
    marks = convert_to_tensor(delimiter, string)._value.item()
    rows = [split_at_any(text, marks) if text else [] for text in texts]
    return _sparse_parts([[x for x in row if x or not skip_empty] for row in rows])


def split_at_any(text: bytes, marks: bytes) -> list[bytes]:
    """Splits a string at each of the given characters, or into bytes if none are given."""
    if not marks:
        return [text[i : i + 1] for i in range(len(text))]
    for mark in marks[1:]:
        text = text.replace(bytes([mark]), marks[:1])
    return text.split(marks[:1])


def _sparse_parts(rows: list[list[bytes]]) -> tuple[Tensor, ...]:
    """Returns the indices, values and shape of a sparse matrix with these rows."""
    places = [(i, j) for i, row in enumerate(rows) for j in range(len(row))]
    values = [part for row in rows for part in row]
    shape = np.array([len(rows), max(map(len, rows), default=0)], np.int64)
    return (
        Tensor(np.array(places, np.int64).reshape(-1, 2)),
        strings(values, (len(values),)),
        Tensor(shape),
    )


@raw_op("UnicodeDecode", ignored=("Tsplits",))
def raw_unicode_decode(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Returns the code points of strings, as the splits and values of a ragged tensor."""
    found = unicode_decode(
        reshape(input, (-1,)), input_encoding, errors, replacement_char, replace_control_characters
    )
    assert isinstance(found, RaggedTensor)
    return found.row_splits, found.values


@raw_op("UnicodeDecodeWithOffsets", ignored=("Tsplits",))
def raw_unicode_decode_with_offsets(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Returns code points of strings and their offsets, as components of ragged tensors."""
    points, starts = unicode_decode_with_offsets(
        reshape(input, (-1,)), input_encoding, errors, replacement_char, replace_control_characters
    )
    assert isinstance(points, RaggedTensor)
    assert isinstance(starts, RaggedTensor)
    return points.row_splits, points.values, starts.values


@raw_op("UnicodeEncode")
def raw_unicode_encode(
    input_values: Any,
    input_splits: Any,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    name: str | None = None,
) -> Tensor:
    """Returns strings from rows of code points, given as the components of a ragged tensor."""
    points = RaggedTensor.from_row_splits(input_values, input_splits, validate=False)
    return unicode_encode(points, output_encoding, errors, replacement_char)
