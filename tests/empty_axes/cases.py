"""Calls with an axis of length 0: each axis of each input of each sample in turn.

Axes that belong together (the inner axes of a matrix product, the axes of two operands that
broadcast) have the same length, or the same place counted from the end, so these are emptied
together as well. Some of the combinations do not fit: TensorFlow's exception is the answer then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Shape = tuple[int, ...]
MOST_INPUTS = 3  # of samples with more, all are emptied together


@dataclass(frozen=True)
class Case:
    """One call on inputs some of whose axes are empty.

    Attributes:
      name: The sample's name and the inputs' shapes.
      op: The operation's name.
      call: The operation.
      inputs: Arrays.
      stages: The requested results: see `outcomes.STAGES`.
    """

    name: str
    op: str
    call: Callable[..., Any]
    inputs: tuple[np.ndarray[Any, Any], ...]
    stages: tuple[str, ...]


def shapes_with_an_empty_axis(shapes: Sequence[Shape]) -> list[tuple[Shape, ...]]:
    """The shapes of a call's inputs with one axis, or axes that belong together, of length 0."""
    places = [(i, k) for i, shape in enumerate(shapes) for k in range(len(shape))]
    groups = [{place} for place in places] if len(shapes) <= MOST_INPUTS else []
    for i, k in places:
        length, from_the_end = shapes[i][k], k - len(shapes[i])
        same_length = {(j, m) for j, m in places if shapes[j][m] == length}
        groups.append(same_length)
        groups.append({(j, m) for j, m in same_length if m - len(shapes[j]) == from_the_end})
        groups.append({(j, m) for j, m in same_length if m == k})
    groups.append(set(places))
    found = [
        tuple(
            tuple(0 if (i, k) in group else n for k, n in enumerate(shape))
            for i, shape in enumerate(shapes)
        )
        for group in groups
        if group
    ]
    return list(dict.fromkeys(found))


def cases(samples: Sequence[Any]) -> Iterator[Case]:
    """The calls to try.

    Args:
      samples: Things with `id`, `op`, `call` and `inputs`, as in the table of samples.
    """
    seen: set[tuple[Any, ...]] = set()
    for sample in samples:
        own = tuple(np.shape(x) for x in sample.inputs)
        ranks = tuple(map(len, own))
        new = (sample.op, ranks) not in seen
        seen.add((sample.op, ranks))
        for shapes in shapes_with_an_empty_axis(own):
            stages = ("values", "first", "second", *(["jacobian"] if new else []))
            inputs = tuple(
                x[tuple(map(slice, shape))] for x, shape in zip(sample.inputs, shapes, strict=True)
            )
            yield Case(f"{sample.id} {shown(shapes)}", sample.op, sample.call, inputs, stages)
        if new:
            inputs = tuple(np.zeros((0, *x.shape), x.dtype) for x in sample.inputs)
            yield Case(f"{sample.id} no examples", sample.op, sample.call, inputs, ("vectorized",))


def shown(shapes: Sequence[Shape]) -> str:
    """Shapes as a case's name shows them: 2x0,3."""
    return ",".join("x".join(map(str, shape)) or "-" for shape in shapes)
