"""`tf.strings.ngrams`: sequences of consecutive strings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import int64, string
from gradtape._src.base.export import export
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.attributes import takes
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.graph_operations import New, graph_operation
from gradtape._src.ops.types.ragged_tensor import RaggedTensor
from gradtape._src.text.values import rows, strings


def _result(new: New, data: Any, ngram_width: int | Sequence[int], *_: Any, **__: Any) -> Any:
    if isinstance(data, RaggedTensor):
        if isinstance(data.values, RaggedTensor):
            inner = _result(new, data.values, ngram_width)
            return data.with_values(inner)
        return RaggedTensor(new([None], string), new(shape_of(data.row_splits), int64))
    return new([*shape_of(convert_to_tensor(data, string))[:-1], None], string)


@export("strings.ngrams")
@takes(separator="string", preserve_short_sequences="bool")
@graph_operation("StringNGrams", _result)
def ngrams(
    data: Any,
    ngram_width: int | Sequence[int],
    separator: str = " ",
    pad_values: Any = None,
    padding_width: int | None = None,
    preserve_short_sequences: bool = False,
    name: str | None = None,
) -> Tensor:
    """Joins each sequence of consecutive strings in a row.

    Args:
      data: A string tensor, whose rows are along the last axis, or a ragged tensor.
      ngram_width: The number of strings to join, or a list of numbers, whose results are
        concatenated.
      separator: The text between the parts.
      pad_values: The padding before and after each row: a string, or a pair of strings.
      padding_width: The maximum amount of padding. Defaults to the width minus one.
      preserve_short_sequences: Whether a row that is too short for any n-gram is joined as a whole.
      name: Accepted for compatibility.

    Returns:
      A string tensor, which is ragged if the number of strings may differ between rows.

    Raises:
      ValueError: A width is below 1.
      TypeError: The padding is neither a string nor a pair of strings.

    >>> tf.strings.ngrams(["a", "b", "c"], 2).numpy()
    array([b'a b', b'b c'], dtype=object)
    """
    widths = [ngram_width] if isinstance(ngram_width, int) else list(ngram_width)
    if any(width < 1 for width in widths):
        raise ValueError(f"All ngram_widths must be greater than 0. Got {ngram_width}")
    if padding_width is not None and padding_width < 1:
        raise ValueError(f"padding_width must be greater than 0. Got {padding_width}")
    left, right = _padding(pad_values)
    between = separator.encode()

    def made(row: list[bytes]) -> list[bytes]:
        out: list[bytes] = []
        for width in widths:
            pad = 0 if left is None else width - 1
            if padding_width is not None and left is not None:
                pad = min(pad, padding_width)
            full = [left or b""] * pad + row + [right or b""] * pad
            out += [between.join(full[i : i + width]) for i in range(len(full) - width + 1)]
        if not out and row and preserve_short_sequences:
            pad = 0 if left is None else min(min(widths) - 1, padding_width or min(widths) - 1)
            out.append(between.join([left or b""] * pad + row + [right or b""] * pad))
        return out

    if isinstance(data, RaggedTensor):
        return _of_ragged(made, data)  # type: ignore[return-value]
    x = convert_to_tensor(data, string)._value
    if not x.ndim:
        raise ValueError("tf.strings.ngrams: `data` needs an axis to join along, got a scalar")
    table = x.reshape(math.prod(x.shape[:-1]), x.shape[-1])
    found = [made(row.tolist()) for row in table]
    width = len(found[0]) if found else 1  # as TensorFlow pads no rows
    return strings([text for row in found for text in row], (*x.shape[:-1], width))


def _of_ragged(made: Any, data: RaggedTensor) -> RaggedTensor:
    if isinstance(data.values, RaggedTensor):
        return data.with_values(_of_ragged(made, data.values))
    flat = convert_to_tensor(data.values, string)._value
    splits = np.asarray(data.row_splits).tolist()
    found = [made(flat[a:b].tolist()) for a, b in pairwise(splits)]
    texts_ = [text for row in found for text in row]
    return rows(strings(texts_, [len(texts_)]), [len(row) for row in found])


def _padding(pad_values: Any) -> tuple[bytes | None, bytes | None]:
    if pad_values is None:
        return None, None
    pair = pad_values if isinstance(pad_values, (tuple, list)) else (pad_values, pad_values)
    if len(pair) != 2 or not all(isinstance(each, (str, bytes)) for each in pair):
        raise TypeError(
            "pad_values must be either a string, tuple of two strings, or None. Got "
            f"{pad_values!r}."
        )
    left, right = [each.encode() if isinstance(each, str) else each for each in pair]
    return left, right
