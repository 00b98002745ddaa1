"""The edit distance of sequences."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._src.base.dtypes import float32
from gradtape._src.base.export import export
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.attributes import takes
from gradtape._src.declare.graph_operations import New, graph_operation
from gradtape._src.ops.types.sparse_tensor import SparseTensor


def _result(new: New, hypothesis: Any, truth: Any, *_: Any, **__: Any) -> Tensor:
    _check(hypothesis, truth)
    rank = truth.shape.rank or hypothesis.shape.rank
    return new(None if rank is None else (None,) * (rank - 1), float32)


def _check(hypothesis: Any, truth: Any) -> None:
    for what, x in (("Hypothesis", hypothesis), ("Truth", truth)):
        if not isinstance(x, SparseTensor):
            raise TypeError(f"{what} must be a SparseTensor.")


@export("edit_distance")
@takes(normalize="bool")
@graph_operation("EditDistance", _result)
def edit_distance(
    hypothesis: Any, truth: Any, normalize: bool = True, name: str = "edit_distance"
) -> Tensor:
    """Counts the insertions, deletions and replacements that turn one sequence into another.

    Levenshtein, "Binary codes capable of correcting deletions, insertions, and reversals" (1966).

    Args:
      hypothesis: A SparseTensor, whose last axis holds sequences.
      truth: A SparseTensor of the same rank.
      normalize: Whether to divide by the length of the truth.
      name: Accepted for compatibility.

    Returns:
      A float32 tensor of the shape of `truth` without the last axis; inf where only the truth is
      empty.

    Raises:
      TypeError: An argument is not a SparseTensor.
    """
    _check(hypothesis, truth)
    lead = np.maximum(
        *(np.asarray(x.dense_shape._numpy())[:-1].astype(np.int64) for x in (hypothesis, truth))
    )
    made, true = _sequences(hypothesis), _sequences(truth)
    out = np.zeros(tuple(lead), np.float32)
    for place in made.keys() | true.keys():
        left, right = made.get(place, []), true.get(place, [])
        steps = _distance(left, right)
        if normalize:
            out[place] = steps / len(right) if right else np.inf
        else:
            out[place] = steps
    return Tensor(out)


def _sequences(x: SparseTensor) -> dict[tuple[int, ...], list[Any]]:
    found: dict[tuple[int, ...], list[Any]] = {}
    places = np.asarray(x.indices._numpy()).tolist()
    for place, value in zip(places, np.asarray(x.values._numpy()).tolist(), strict=True):
        found.setdefault(tuple(place[:-1]), []).append(value)
    return found


def _distance(a: list[Any], b: list[Any]) -> int:
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        diagonal, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (x != y))
    return row[-1]
