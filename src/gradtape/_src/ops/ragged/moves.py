"""Joining, splitting, reversing and selecting ragged tensors, and functions along their rows."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from gradtape._src.base.dispatch import holds, implements
from gradtape._src.base.errors import About
from gradtape._src.compute.axis_sums import repeated
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.tensor import Tensor, TensorLike
from gradtape._src.declare.arguments import integers, invalid
from gradtape._src.declare.open_graphs import with_fed_values
from gradtape._src.ops.array import joining, roll_reverse, shaping
from gradtape._src.ops.elementwise import selection
from gradtape._src.ops.elementwise.exponential import exp_p
from gradtape._src.ops.elementwise.identities import stop_gradient
from gradtape._src.ops.nn.dropout import dropout, stateless_dropout
from gradtape._src.ops.nn.softmax import softmax
from gradtape._src.ops.ragged.construction import as_ragged, joined, take_rows
from gradtape._src.ops.ragged.construction import stack as stack_rows
from gradtape._src.ops.ragged.elementwise import beside
from gradtape._src.ops.ragged.reductions import Groups
from gradtape._src.ops.types.ragged_tensor import RaggedTensor

Numbers = np.ndarray[Any, Any]


def _place(axis: Any, rank: int, op: str) -> int:
    """Returns an axis, counted from the front."""
    try:
        (at,) = integers(axis, op, "axis").reshape(-1).tolist()
    except ValueError:
        raise TypeError(f"{op} of a ragged tensor: axis must be an int; got {axis!r}") from None
    if not -rank <= at < rank:
        raise ValueError(f"axis={at} out of bounds: expected {-rank}<=axis<{rank} ({op})")
    return int(at % rank)


def _splits(x: RaggedTensor) -> Numbers:
    return np.asarray(x.row_splits._value)


def _of_one_rank(values: Any, op: str) -> list[Any]:
    """Returns the operands, at least one of which is ragged, as tensors of one rank."""
    parts = list(values) if isinstance(values, (list, tuple)) else [values]
    first = next(p for p in parts if isinstance(p, RaggedTensor))
    rank = len(first.shape)
    for i, p in enumerate(parts):
        if not isinstance(p, RaggedTensor):
            parts[i] = tensor(p) if isinstance(p, TensorLike) else convert_to_tensor(p, first.dtype)
        if len(parts[i].shape) != rank:
            raise ValueError(
                f"{op}: shape {parts[i].shape} must have rank {rank}, as {first.shape}"
            )
        if parts[i].dtype is not first.dtype:
            raise invalid(
                f"cannot compute {op} as input #{i} was expected to be a {first.dtype.name} tensor "
                f"but is a {parts[i].dtype.name} tensor",
                About.DTYPES,
            )
    return parts


def _as_many_rows(parts: list[Any], op: str) -> list[RaggedTensor]:
    made = [as_ragged(p) for p in parts]
    if len({p._height() for p in made}) > 1:
        raise invalid(
            f"{op}: values must have equally many rows, got {[p._height() for p in made]}",
            About.VALUES,
        )
    return made


def _within(parts: list[RaggedTensor], op: str, run: Callable[[list[Any]], Any]) -> Any:
    """Runs a function on the values of ragged tensors with equal row splits."""
    for p in parts[1:]:
        if not np.array_equal(_splits(p), _splits(parts[0])):
            raise invalid(
                f"{op}: inputs must have identical ragged splits, got "
                f"{_splits(parts[0]).tolist()} and {_splits(p).tolist()}",
                About.VALUES,
            )
    return parts[0].with_values(run([p.values for p in parts]))


@implements(joining.concat, values=holds(RaggedTensor))
@implements(joining.concat, values=RaggedTensor)
@with_fed_values
def _concat(values: Any, axis: Any, name: str | None = None) -> Any:
    parts = _of_one_rank(values, "concat")
    at = _place(axis, len(parts[0].shape), "concat")
    return parts[0] if len(parts) == 1 else _concatenated(parts, at)


def _concatenated(parts: list[Any], at: int) -> Any:
    if not any(isinstance(p, RaggedTensor) for p in parts):
        return joining.concat(parts, at)
    if not at:
        return joined(parts)
    rows = _as_many_rows(parts, "concat")
    if at > 1:
        return _within(rows, "concat", lambda inner: _concatenated(inner, at - 1))
    order = np.arange(len(rows) * rows[0]._height()).reshape(len(rows), -1).T.ravel()
    made = take_rows(as_ragged(joined(rows)), order)
    return RaggedTensor(made.values, Tensor(_splits(made)[:: len(rows)]))


@implements(joining.stack, values=holds(RaggedTensor))
@with_fed_values
def _stack(values: Any, axis: Any = 0, name: str | None = None) -> Any:
    parts = _of_one_rank(values, "stack")
    return _stacked(parts, _place(axis, len(parts[0].shape) + 1, "stack"))


def _stacked(parts: list[Any], at: int) -> Any:
    if not any(isinstance(p, RaggedTensor) for p in parts):
        return joining.stack(parts, at)
    if not at:
        return stack_rows(parts, 0)
    rows = _as_many_rows(parts, "stack")
    if at > 1:
        return _within(rows, "stack", lambda inner: _stacked(inner, at - 1))
    return stack_rows(parts, 1)


@implements(shaping.expand_dims, input=RaggedTensor)
@with_fed_values
def _expand_dims(input: RaggedTensor, axis: Any, name: str | None = None) -> Any:
    return _expanded(input, _place(axis, len(input.shape) + 1, "expand_dims"))


def _expanded(x: Any, at: int) -> Any:
    if not isinstance(x, RaggedTensor):
        return shaping.expand_dims(x, at)
    if at > 1:
        return x.with_values(_expanded(x.values, at - 1))
    n, kind = x._height(), x.row_splits._value.dtype
    splits = np.arange(n + 1, dtype=kind) if at else np.array([0, n], kind)
    return RaggedTensor(x, Tensor(splits), 1 if at else n)


@implements(shaping.squeeze, input=RaggedTensor)
@with_fed_values
def _squeeze(input: RaggedTensor, axis: Any = None, name: str | None = None) -> Any:
    if axis is None:
        raise ValueError("squeeze of a ragged tensor must have an axis argument.")
    rank = len(input.shape)
    given = axis if isinstance(axis, (list, tuple)) else [axis]
    out: Any = input
    for at in sorted({_place(a, rank, "squeeze") for a in given}, reverse=True):
        out = _squeezed(out, at)
    return out


def _squeezed(x: Any, at: int) -> Any:
    if not isinstance(x, RaggedTensor):
        return shaping.squeeze(x, at)
    if at > 1:
        return x.with_values(_squeezed(x.values, at - 1))
    if (np.diff(_splits(x)) != 1).any() if at else x._height() != 1:
        raise invalid(f"squeeze of a ragged tensor: axis {at} of {x.shape} is not of length one")
    return x.values


@implements(roll_reverse.reverse, tensor=RaggedTensor)
@with_fed_values
def _reverse(tensor: RaggedTensor, axis: Any, name: str | None = None) -> Any:
    if isinstance(axis, int) or not isinstance(axis, (list, tuple, np.ndarray, TensorLike)):
        raise TypeError(f"reverse of a ragged tensor: axis must be a list of int; got {axis!r}")
    out: Any = tensor
    given = integers(axis, "ReverseV2", "axis").reshape(-1).tolist()
    for at in {_place(a, len(tensor.shape), "reverse") for a in given}:
        out = _reversed(out, at)
    return out


def _reversed(x: Any, at: int) -> Any:
    if not isinstance(x, RaggedTensor):
        return roll_reverse.reverse(x, [at])
    if at > 1:
        return x.with_values(_reversed(x.values, at - 1))
    if not at:
        return take_rows(x, np.arange(x._height())[::-1])._with_length(x._uniform)
    splits = _splits(x)
    ends = repeated(splits[1:] + splits[:-1] - 1, np.diff(splits))
    return x.with_values(take_rows(x.values, ends - np.arange(len(ends))))


@implements(shaping.tile, input=RaggedTensor)
@with_fed_values
def _tile(input: RaggedTensor, multiples: Any, name: str | None = None) -> Any:
    repeats = integers(multiples, "Tile", "multiples").reshape(-1).tolist()
    if len(repeats) != len(input.shape):
        raise invalid(
            f"Expected multiples argument to be a vector of length {len(input.shape)} but got "
            f"length {len(repeats)} [Op:Tile] (one multiple for each axis of the input)"
        )
    for i, n in enumerate(repeats):
        if n < 0:
            raise invalid(f"Expected multiples[{i}] >= 0, but got {n} [Op:Tile]")
    return _tiled(input, repeats)


def _tiled(x: Any, repeats: list[int]) -> Any:
    if not isinstance(x, RaggedTensor):
        return shaping.tile(x, repeats)
    rows, along, *inner = repeats
    splits = _splits(x)
    values = _tiled(x.values, [1, *inner])
    if along != 1:
        places = [np.tile(np.arange(a, b), along) for a, b in pairwise(splits)]
        values = take_rows(values, np.concatenate([*places, np.zeros(0, np.int64)]).astype(int))
    uniform = None if x._uniform is None else x._uniform * along
    out = RaggedTensor(values, Tensor(splits * splits.dtype.type(along)), uniform)
    if rows != 1:
        out = take_rows(out, np.tile(np.arange(x._height()), rows))._with_length(uniform)
    return out


@implements(joining.split, value=RaggedTensor)
@with_fed_values
def _split(
    value: RaggedTensor,
    num_or_size_splits: Any,
    axis: Any = 0,
    num: Any = None,
    name: str | None = None,
) -> list[Any]:
    x, parts = value, num_or_size_splits
    at, ragged = _place(axis, len(x.shape), "split"), x.ragged_rank
    if 0 < at <= ragged:
        raise ValueError(
            f"Cannot split a ragged dimension. Got `value` with shape {x.shape} and `axis` {at}."
        )
    if at:
        return [x.with_flat_values(p) for p in joining.split(x.flat_values, parts, at - ragged)]
    n = x._height()
    if isinstance(parts, (int, np.integer)):
        if parts < 1:
            raise ValueError(f"`num_or_size_splits` must be >=1 if it is an `int`. Got {parts}.")
        lengths = [n // int(parts)] * int(parts)
    else:
        lengths = integers(parts, "SplitV", "num_or_size_splits").reshape(-1).tolist()
    if sum(lengths) != n or min(lengths) < 0:
        raise invalid(
            f"split of a ragged tensor: its {n} rows can't be split into {parts!r}: give a number "
            f"that divides them, or lengths that add up to them",
            About.VALUES,
        )
    ends = np.cumsum([0, *lengths]).tolist()
    return [x[a:b] for a, b in pairwise(ends)]


@implements(selection.where, {"condition": RaggedTensor}, {"x": RaggedTensor}, {"y": RaggedTensor})
@with_fed_values
def _where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Any:
    if x is None and y is None:
        found = np.asarray(selection.where(condition.flat_values)._value)
        places, _ = condition._places()
        return Tensor(np.concatenate([places[:, found[:, 0]].T, found[:, 1:]], 1).astype(np.int64))
    if x is None or y is None:
        raise ValueError("x and y must both be non-None or both be None.")
    given = (condition, x, y)
    like = next(v for v in given if isinstance(v, RaggedTensor))

    def flat(v: Any, dtype: Any) -> Any:
        return beside(like, v if isinstance(v, RaggedTensor) else convert_to_tensor(v, dtype))

    known = [v for v in (x, y) if isinstance(v, (RaggedTensor, TensorLike))]
    first: Any = known[0] if known else tensor(x)
    kind = first.dtype
    return like.with_flat_values(
        selection.where(flat(condition, "bool"), flat(x, kind), flat(y, kind))
    )


@implements(softmax, logits=RaggedTensor)
@with_fed_values
def _softmax(logits: RaggedTensor, axis: Any = None, name: str | None = None) -> RaggedTensor:
    x, ragged = logits.flat_values, logits.ragged_rank
    at = _place(-1 if axis is None else axis, len(logits.shape), "softmax")
    if at > ragged:
        return logits.with_flat_values(softmax(x, at - ragged))
    groups = Groups(logits, [at], keepdims=False)
    exponentials = exp_p(x - groups.spread(stop_gradient(groups.total("max", x))))
    return logits.with_flat_values(exponentials / groups.spread(groups.total("sum", exponentials)))


def _drop_values(function: Callable[..., Any]) -> None:
    @implements(function, x=RaggedTensor)
    @with_fed_values
    def run(x: RaggedTensor, *args: Any, **kwargs: Any) -> RaggedTensor:
        return x.with_flat_values(function(x.flat_values, *args, **kwargs))


_drop_values(dropout)
_drop_values(stateless_dropout)
