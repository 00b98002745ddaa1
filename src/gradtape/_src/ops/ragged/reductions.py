"""Reductions of ragged tensors, which are segment reductions of the innermost values."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from gradtape._src.base.dispatch import implements
from gradtape._src.base.dtypes import bool_, float32, float64, int32
from gradtape._src.base.error_messages import unsupported
from gradtape._src.base.errors import InvalidArgumentError
from gradtape._src.compute.axis_sums import repeated
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import integers, invalid
from gradtape._src.declare.general import NUMERIC, shape_of
from gradtape._src.declare.open_graphs import with_fed_values
from gradtape._src.declare.structural import reshape_p
from gradtape._src.ops.array.gather import gather_p
from gradtape._src.ops.array.row_sums import add_rows_p
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.elementwise.comparison import is_finite_p
from gradtape._src.ops.elementwise.exponential import exp_p, log_p
from gradtape._src.ops.elementwise.identities import stop_gradient
from gradtape._src.ops.elementwise.logical import logical_not
from gradtape._src.ops.elementwise.powers import sqrt_p, square_p
from gradtape._src.ops.elementwise.selection import where, zero_of
from gradtape._src.ops.reduce import extremes, log_sums, reductions
from gradtape._src.ops.reduce.segment import segment_max_p, segment_min_p, segment_prod_p
from gradtape._src.ops.types.ragged_tensor import RaggedTensor

Numbers = np.ndarray[Any, Any]


def _any(x: Any, ids: Tensor, n: int) -> Any:
    return add_rows_p(cast(x, int32), ids, count=n) > 0


# By operation, the reduction of a tensor and the segment reduction.
_KINDS: dict[str, tuple[Callable[..., Any], Callable[[Any, Tensor, int], Any]]] = {
    "sum": (reductions.reduce_sum, lambda x, ids, n: add_rows_p(x, ids, count=n)),
    "prod": (reductions.reduce_prod, lambda x, ids, n: segment_prod_p(x, ids, n=n, empty=None)),
    "max": (extremes.reduce_max, lambda x, ids, n: segment_max_p(x, ids, n=n, empty=None)),
    "min": (extremes.reduce_min, lambda x, ids, n: segment_min_p(x, ids, n=n, empty=None)),
    "any": (reductions.reduce_any, _any),
    "all": (
        reductions.reduce_all,
        lambda x, ids, n: logical_not(_any(logical_not(x), ids, n)),
    ),
}
# By operation that is composed of others, the reduction of a tensor.
_OF_KINDS: dict[str, Callable[..., Any]] = {
    "mean": reductions.reduce_mean,
    "variance": reductions.reduce_variance,
    "std": reductions.reduce_std,
    "logsumexp": log_sums.reduce_logsumexp,
}


def _merged(ids: Numbers, n: int, deeper: list[Numbers]) -> tuple[list[Numbers], Numbers, int]:
    """Merges rows with the same index into one row, which is as long as the longest of them.

    Returns:
      The splits of the merged rows at each inner level, the new index of each innermost value, and
      the number of such indices.
    """
    made = []
    for splits in deeper:
        lengths = np.diff(splits)
        longest = np.zeros(n, splits.dtype)
        np.maximum.at(longest, ids, lengths)
        new = np.concatenate([[0], np.cumsum(longest)]).astype(splits.dtype)
        row = repeated(np.arange(len(lengths)), lengths)
        ids, n = new[ids[row]] + np.arange(len(row)) - splits[row], int(new[-1])
        made.append(new)
    return made, ids, n


def _dropped(splits: list[Numbers], size: int, axis: int) -> tuple[list[Numbers], Numbers, int]:
    """Reduces one of the ragged axes of a tensor with `size` innermost values."""
    if not splits:
        return [], np.zeros(size, np.int64), 1
    by = splits[max(axis - 1, 0)]
    lengths = np.diff(by)
    if axis:
        ids, n = repeated(np.arange(len(lengths)), lengths), len(lengths)
    else:
        ids, n = np.arange(by[-1]) - repeated(by[:-1], lengths), int(lengths.max(initial=0))
    made, ids, n = _merged(ids, n, splits[max(axis, 1) :])
    return [*splits[: max(axis - 1, 0)], *made], ids, n


class Groups:
    """The groups of innermost values of a ragged tensor that are reduced, and their rows."""

    def __init__(self, x: RaggedTensor, axes: list[int], keepdims: bool) -> None:
        splits = [np.asarray(s._value) for s in x.nested_row_splits]
        lengths: list[int | None] = x.shape.as_list()[1 : len(splits) + 1]
        rank, (n, *inner) = len(splits), shape_of(x.flat_values)
        self.within = [a - rank for a in axes if a > rank]
        front = [n]  # the axes of the values, before the uniform ones
        ids: Numbers | None = None
        for a in sorted((a for a in axes if a <= rank), reverse=True):
            whole = not splits
            splits, found, n = _dropped(splits, n, a)
            lengths = [*lengths[: max(a - 1, 0)], *[None] * (len(splits) - max(a - 1, 0))]
            ids = found if ids is None else found[ids]
            front = [*([1] * keepdims if whole else [n]), *front[1:]]
            if not keepdims or whole:
                continue
            if a > len(splits):
                front.insert(1, 1)
            elif not splits:
                front.insert(0, 1)
            else:
                rows = len(splits[max(a - 1, 0)]) - 1
                one = np.arange(rows + 1) if a else np.array([0, rows])
                splits.insert(max(a - 1, 0), one.astype(x.row_splits._value.dtype))
                lengths.insert(max(a - 1, 0), 1 if a else rows)
        for i in sorted(self.within, reverse=True):
            inner[i - 1 : i] = [1] * keepdims
        self.ids = None if ids is None else Tensor(ids)
        self.n, self.shape, self.splits, self.lengths = n, (*front, *inner), splits, lengths

    def total(self, op: str, x: Tensor) -> Tensor:
        """Returns one value for each group; reduced uniform axes are kept with length one."""
        dense, by_row = _KINDS[op]
        if self.within:
            x = dense(x, self.within, keepdims=True)
        return x if self.ids is None else by_row(x, self.ids, self.n)

    def mean(self, x: Tensor) -> Tensor:
        """Returns the mean of each group of floats, or NaN for an empty group."""
        shape = shape_of(x)
        k = prod(shape[a] for a in self.within)
        rows: Any = 1 if self.ids is None else np.bincount(self.ids._value, minlength=self.n)
        counts = np.reshape(rows * k, (-1, *[1] * (len(shape) - 1))).astype(x._value.dtype)
        return self.total("sum", x) / Tensor(counts)

    def spread(self, x: Tensor) -> Tensor:
        """Returns a tensor in which each element is replaced by the value of its group."""
        return x if self.ids is None else gather_p(x, self.ids, axis=0, batch_dims=0)

    def finished(self, x: Any) -> Tensor | RaggedTensor:
        """Returns the reduced values as a ragged tensor."""
        out: Tensor | RaggedTensor = reshape_p(x, shape=self.shape)
        for splits, length in zip(self.splits[::-1], self.lengths[::-1], strict=True):
            out = RaggedTensor(out, Tensor(splits), length)
        return out


def _axes(axis: Any, rank: int, op: str) -> list[int]:
    try:
        given = integers(axis, op, "axis").reshape(-1).tolist()
    except (InvalidArgumentError, TypeError, ValueError):
        raise TypeError(
            f"axis must be an int or a list of them; got {axis!r} (reduce_{op} of a ragged tensor)"
        ) from None
    for a in given:
        if not -rank <= a < rank:
            raise ValueError(
                f"axis={a} out of bounds: expected {-rank}<=axis<{rank} (reduce_{op} of a ragged "
                f"tensor)"
            )
    found = [a % rank for a in given]
    if len(set(found)) < len(found):
        raise invalid(f"reduce_{op} of a ragged tensor: axis={axis!r} names an axis twice")
    return found


def _reduced(self: RaggedTensor, op: str, axis: Any, keepdims: Any) -> Any:
    """Computes `reduce_<op>`; the mean of integers is a floating-point number."""
    x, rank, averaged = self.flat_values, len(self.shape), op not in _KINDS
    if op in ("any", "all"):
        x = cast(x, bool_)
    axes = None if axis is None else _axes(axis, rank, op)
    if not axes and axes is not None and not averaged:
        return self.with_flat_values(x)
    if (averaged or op == "sum") and x._value.dtype.type not in NUMERIC:
        raise unsupported("Sum", NUMERIC, x.dtype)
    if averaged and op != "logsumexp" and x.dtype.is_integer:
        x = cast(x, float32 if x.dtype.size < 4 else float64)
    if op in ("variance", "std", "logsumexp") and x.dtype.is_complex:
        raise ValueError(
            f"reduce_{op} does not support ragged tensors of {x.dtype!r}: pass real numbers"
        )
    if axes is None:
        out = (_OF_KINDS[op] if averaged else _KINDS[op][0])(x)
        return reshape_p(out, shape=(1,) * rank) if keepdims else out
    groups = Groups(self, axes, bool(keepdims))
    if not averaged:
        return groups.finished(groups.total(op, x))
    # TensorFlow's quotients lose the information that rows have equal lengths.
    groups.lengths = [None] * len(groups.splits)
    return groups.finished(_averaged(groups, op, x))


def _averaged(groups: Groups, op: str, x: Any) -> Any:
    if op == "logsumexp":
        top = stop_gradient(groups.total("max", x))
        top = where(is_finite_p(top), top, zero_of(top))
        return log_p(groups.total("sum", exp_p(x - groups.spread(top)))) + top
    out = groups.mean(x)
    if op != "mean":
        out = groups.mean(square_p(x - groups.spread(out)))
    return sqrt_p(out) if op == "std" else out


def _implement(function: Callable[..., Any], op: str) -> None:
    @implements(function, input_tensor=RaggedTensor)
    @with_fed_values
    def reduce(
        input_tensor: RaggedTensor, axis: Any = None, keepdims: Any = False, name: str | None = None
    ) -> Any:
        return _reduced(input_tensor, op, axis, keepdims)


for _op, (_function, _) in _KINDS.items():
    _implement(_function, _op)
for _op, _function in _OF_KINDS.items():
    _implement(_function, _op)
