"""Functions of rows of labels, as programs for any number of rows."""

from __future__ import annotations

from typing import Any

from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.graphdef_export.composed.call_programs import as_operation, call_program
from gradtape._src.ops.array.creation import ones_like, zeros_like
from gradtape._src.ops.array.gather import gather
from gradtape._src.ops.array.joining import concat, stack
from gradtape._src.ops.array.shaping import reshape
from gradtape._src.ops.array.tensor_shapes import shape
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.elementwise.comparison import equal, not_equal
from gradtape._src.ops.elementwise.selection import where
from gradtape._src.ops.nn import ctc
from gradtape._src.ops.reduce.cumulative import cumsum
from gradtape._src.ops.reduce.extremes import argmax, reduce_max
from gradtape._src.ops.reduce.reductions import reduce_sum
from gradtape._src.ops.reduce.segment import unsorted_segment_sum


def _numbered(x: Tensor, axis: int) -> Tensor:
    """Returns for each element its index along an axis."""
    return cumsum(ones_like(x, "int32"), axis, exclusive=True)


def _moved_left(x: Tensor, kept: Tensor, width: Tensor) -> Tensor:
    """Returns the elements of each row that are kept, padded with zeros up to a width."""
    places = cumsum(cast(kept, "int32"), -1, exclusive=True) + _numbered(x, 0) * width
    rows = shape(x)[0]
    given, to = (reshape(y, [-1]) for y in (where(kept, x, 0), where(kept, places, -1)))
    found = unsorted_segment_sum(given, to, rows * width)
    made: Tensor = as_operation(reshape)(found, stack([rows, width]))
    return made


@call_program(ctc.collapse_repeated)
def merged(labels: Any, seq_length: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Returns rows of labels without repetition, and their lengths."""
    x, lengths = convert_to_tensor(labels), convert_to_tensor(seq_length)
    changes = not_equal(x[:, 1:], x[:, :-1])
    kept = concat([ones_like(x[:, :1], "bool"), changes], 1)
    kept &= _numbered(x, 1) < reshape(cast(lengths, "int32"), [-1, 1])
    counts = reduce_sum(cast(kept, "int32"), -1)
    width = reduce_max(concat([zeros_like(shape(x)[:1]), counts], 0))
    return _moved_left(x, kept, width), cast(counts, lengths.dtype)


@call_program(ctc.ctc_unique_labels)
def distinct(labels: Any, name: str | None = None) -> list[Tensor]:
    """Returns the distinct labels of each row, and for each label its index among them."""
    x = convert_to_tensor(labels)
    first = argmax(cast(equal(x[:, :, None], x[:, None, :]), "int32"), -1, "int32")
    is_first = equal(first, _numbered(x, 1))
    rank = cumsum(cast(is_first, "int32"), -1, exclusive=True)
    found = _moved_left(cast(x, "int64"), is_first, shape(x)[1])
    return [found, gather(rank, first, batch_dims=1)]
