"""Indexing of ragged tensors with `[]`, and merging of their axes."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import integer, invalid
from gradtape._src.declare.structural import count, reshape_p
from gradtape._src.ops.array.gather import gather
from gradtape._src.ops.array.shaping import expand_dims

if TYPE_CHECKING:
    from gradtape._src.ops.types.ragged_tensor import RaggedTensor

_ALL = slice(None)


def part(x: Any, key: Any) -> Tensor | RaggedTensor:
    """Returns `x[key]` for a ragged tensor.

    Raises:
      ValueError: An integer indexes a ragged axis inside the rows, or the key is a bool.
      InvalidArgumentError: An index is out of range.
    """
    keys = list(key) if isinstance(key, tuple) else [key]
    dots = [i for i, k in enumerate(keys) if k is Ellipsis]
    if dots:
        free = len(x.shape) - len(keys) + 1
        keys[dots[0] : dots[0] + 1] = [_ALL] * free
    first, *rest = keys
    if first is None:
        return expand_dims(part(x, tuple(rest)) if rest else x, 0)
    n = x._height()
    if not isinstance(first, slice):
        if isinstance(first, bool):
            raise ValueError("mask cannot be scalar.")
        i = integer(first, "RaggedTensor.__getitem__", "index")
        if not -n <= i < n:
            raise invalid(f"slice index {i} of dimension 0 out of bounds. [Op:StridedSlice]")
        row: Any = gather(x, i % n)
        kept: Tensor | RaggedTensor = row[tuple(rest)] if rest else row
        return kept
    rows = x
    if first != _ALL:
        taken: Any = gather(x, np.arange(n)[first])
        rows = taken._with_length(x._uniform)
    inner: Tensor | RaggedTensor = _inside(rows, *rest) if rest else rows
    return inner


def _inside(x: Any, key: Any, *rest: Any) -> Any:
    """Returns the part of each row that a key selects."""
    if key is None:
        return expand_dims(_inside(x, *rest) if rest else x, 1)
    if not isinstance(key, slice):
        raise ValueError("Cannot index into an inner ragged dimension.")
    splits, values, made = x._splits(), x.values, x
    if key != _ALL:
        parts = [np.arange(a, b)[key] for a, b in pairwise(splits)]
        lengths = np.array([len(p) for p in parts], splits.dtype)
        taken = np.concatenate([*parts, np.empty(0, np.int64)]).astype(np.int64)
        values = gather(values, Tensor(taken))
        made = type(x).from_row_lengths(values, lengths)
    return made.with_values(values[(_ALL, *rest)]) if rest else made


def merge_dims(x: Any, outer_axis: int, inner_axis: int) -> Tensor | RaggedTensor:
    """Merges a range of axes of a ragged tensor; see `RaggedTensor.merge_dims`."""
    rank = len(x.shape)
    outer, inner = (a + rank if a < 0 else a for a in (outer_axis, inner_axis))
    if not 0 <= outer <= inner < rank:
        raise ValueError(
            f"merge_dims: outer_axis={outer_axis} and inner_axis={inner_axis} must be axes of a "
            f"tensor of rank {rank}, in order"
        )
    made: Tensor | RaggedTensor = _merged(x, outer, inner)
    return made


def _merged(x: Any, outer: int, inner: int) -> Any:
    if outer == inner:
        return x
    if isinstance(x, Tensor):
        shape = x._value.shape
        return reshape_p(
            x, shape=(*shape[:outer], count(shape[outer : inner + 1]), *shape[inner + 1 :])
        )
    if outer > 1:
        return x.with_values(_merged(x._values, outer - 1, inner - 1))
    if outer:
        splits, level = x._splits(), x._values
        for _ in range(inner - 1):  # the starts of the rows among the values of the inner axes
            ragged = not isinstance(level, Tensor)
            splits = level._splits()[splits] if ragged else splits * level._value.shape[1]
            level = level._values if ragged else _merged(level, 0, 1)
        return type(x).from_row_splits(level, splits)
    return _merged(x._values, 0, inner - 1)
