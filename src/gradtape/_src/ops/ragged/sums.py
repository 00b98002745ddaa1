"""Sums of ragged tensors: along rows, over several tensors, and over segments."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from gradtape._src.base.dispatch import holds, implements
from gradtape._src.base.errors import About
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import integer, invalid
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.open_graphs import with_fed_values
from gradtape._src.declare.structural import reshape_p
from gradtape._src.ops.array.gather import gather_p
from gradtape._src.ops.elementwise import arithmetic
from gradtape._src.ops.ragged.elementwise import same_rows
from gradtape._src.ops.reduce import cumulative, segment
from gradtape._src.ops.types.ragged_tensor import RaggedTensor


@implements(cumulative.cumsum, x=RaggedTensor)
@with_fed_values
def _cumsum(
    x: RaggedTensor,
    axis: Any = 0,
    exclusive: bool = False,
    reverse: bool = False,
    name: str | None = None,
) -> RaggedTensor:
    rank, given = len(x.shape), integer(axis, "cumsum", "axis")
    if not -rank <= given < rank:
        raise ValueError(f"cumsum: axis={given} out of bounds: expected {-rank}<=axis<{rank}")
    at = given % rank
    if at > x.ragged_rank:
        flat = cumulative.cumsum(x.flat_values, at - x.ragged_rank, exclusive, reverse)
        return x.with_flat_values(flat)
    places, size = x._places()
    whole = cumulative.cumsum(x.to_tensor(), at, exclusive, reverse)
    flat = reshape_p(whole, shape=(int(np.prod(size)), *shape_of(x.flat_values)[1:]))
    rows = np.ravel_multi_index(tuple(places), size)
    return x.with_flat_values(gather_p(flat, Tensor(rows), axis=0, batch_dims=0))


@implements(arithmetic.add_n, inputs=holds(RaggedTensor))
@with_fed_values
def _add_n(inputs: Iterable[Any], name: str | None = None) -> RaggedTensor:
    first, *others = parts = list(inputs)
    if not all(isinstance(x, RaggedTensor) for x in parts):
        raise invalid("add_n: either all of `inputs` must be ragged tensors or none [Op:AddN]")
    if not all(same_rows(first, x) for x in others):
        raise ValueError("add_n: the ragged tensors must have rows of the same lengths")
    rows: RaggedTensor = first
    return rows.with_flat_values(arithmetic.add_n([x.flat_values for x in parts]))


def _of_segments(function: Callable[..., Tensor]) -> None:
    """Makes an `unsorted_segment_*` function work on ragged data."""

    @implements(function, data=RaggedTensor)
    @with_fed_values
    def run(
        data: RaggedTensor, segment_ids: Any, num_segments: Any, name: str | None = None
    ) -> RaggedTensor | Tensor:
        count = integer(num_segments, function.__name__, "num_segments")
        if isinstance(segment_ids, RaggedTensor):
            if not np.array_equal(data.row_splits._value, segment_ids.row_splits._value):
                raise invalid(
                    f"{function.__name__}: data and segment_ids must have rows of the same lengths",
                    About.VALUES,
                )
            return _again(data.values, segment_ids.values, count)
        ids = np.asarray(convert_to_tensor(segment_ids)._numpy())
        splits = data._splits()
        if ids.shape != (len(splits) - 1,):
            raise invalid(
                f"{function.__name__}: segment_ids must have one number for each of "
                f"{len(splits) - 1} rows, got shape {ids.shape}"
            )
        outside = ids[(ids < 0) | (ids >= count)]
        if outside.size:
            raise invalid(
                f"segment id {outside[0]} is not in [0, {count}) [Op:UnsortedSegment]", About.VALUES
            )
        lengths = np.zeros(count, splits.dtype)
        np.maximum.at(lengths, ids, np.diff(splits))
        ends = np.concatenate([[0], np.cumsum(lengths)]).astype(splits.dtype)
        row = np.asarray(data.value_rowids()._value)
        places = ends[ids[row]] + np.arange(len(row)) - splits[row]
        values = _again(data.values, places, int(ends[-1]))
        return RaggedTensor.from_row_splits(values, ends)

    def _again(data: Any, ids: Any, count: int) -> RaggedTensor | Tensor:
        ragged = isinstance(data, RaggedTensor)
        return run(data, ids, count) if ragged else function(data, ids, count)


for _function in (
    segment.unsorted_segment_sum,
    segment.unsorted_segment_mean,
    segment.unsorted_segment_sqrt_n,
    segment.unsorted_segment_prod,
    segment.unsorted_segment_max,
    segment.unsorted_segment_min,
):
    _of_segments(_function)
