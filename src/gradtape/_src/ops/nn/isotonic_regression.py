"""Isotonic regression: least-squares fits by monotone sequences."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gradtape._src.base.export import export
from gradtape._src.core.convert import tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import axis_index
from gradtape._src.declare.general import general, shape_of
from gradtape._src.declare.structural import count, merged, reshape_p, transpose_p
from gradtape._src.ops.array.gather import gather_p
from gradtape._src.ops.array.row_sums import add_rows_p


class IsotonicRegression(NamedTuple):
    """The result of `isotonic_regression`: the fit, and the index of each element's segment."""

    output: Tensor
    segments: Tensor


def _segments(x: Any) -> Any:
    """Returns for each row the segments in which the decreasing fit is constant.

    The algorithm is "pool adjacent violators".
    """
    flat = merged(x, 1)
    out = np.zeros(flat.shape, np.int32)
    for row, numbers in zip(flat, out, strict=True):
        blocks: list[list[float]] = []  # The sum and the length of each segment.
        for v in row.tolist():
            blocks.append([v, 1])
            while len(blocks) > 1 and blocks[-1][0] * blocks[-2][1] > blocks[-2][0] * blocks[-1][1]:
                total, length = blocks.pop()
                blocks[-1][0] += total
                blocks[-1][1] += length
        numbers[:] = np.repeat(np.arange(len(blocks)), [int(b[1]) for b in blocks])
    return out.reshape(x.shape)


segments_p = general("IsotonicSegments", _segments, batching="leading")


@export("nn.isotonic_regression")
def isotonic_regression(inputs: Any, decreasing: bool = True, axis: int = -1) -> IsotonicRegression:
    """Returns the monotone sequence with the least sum of squared differences from the input.

    Barlow, Bartholomew, Bremner and Brunk, "Statistical inference under order restrictions" (1972).

    Args:
      inputs: A floating-point tensor.
      decreasing: Whether the fit is non-increasing; otherwise it is non-decreasing.
      axis: The axis of the sequences.

    Returns:
      The fit, and an int32 tensor with the index of the constant segment to which each element
      belongs. Both have the shape of `inputs`.

    Raises:
      InvalidArgumentError: The axis is out of range.
    """
    x = tensor(inputs)
    rank = len(shape_of(x))
    at = axis_index(axis, rank, "IsotonicRegression", "axis {axis} is out of range")
    swap = list(range(rank))
    swap[at], swap[-1] = swap[-1], swap[at]
    x = transpose_p(x, perm=tuple(swap))
    shape = shape_of(x)
    n = shape[-1]
    segments = segments_p(x if decreasing else -x)
    total = count(shape)
    flat = reshape_p(x, shape=(total,))
    rows = np.repeat(np.arange(total // max(n, 1), dtype=np.int32) * n, n)
    places = reshape_p(segments, shape=(total,)) + Tensor(rows)
    sums = add_rows_p(flat, places, count=total)
    ones = Tensor(np.ones(total, x.dtype.np_dtype))
    counts = add_rows_p(ones, places, count=total)
    mean = gather_p(sums, places, axis=0, batch_dims=0)
    mean = mean / gather_p(counts, places, axis=0, batch_dims=0)
    fit = transpose_p(reshape_p(mean, shape=shape), perm=tuple(swap))
    return IsotonicRegression(fit, transpose_p(segments, perm=tuple(swap)))
