"""Elementwise functions of ragged tensors, which apply to the innermost values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Union

import numpy as np

from gradtape._src.base.dispatch import implements
from gradtape._src.base.errors import About
from gradtape._src.base.export import export
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor, TensorLike
from gradtape._src.declare.arguments import invalid
from gradtape._src.declare.graph_operations import deferrable
from gradtape._src.declare.open_graphs import with_fed_values
from gradtape._src.declare.structural import count, reshape_p
from gradtape._src.ops.array import sorting
from gradtape._src.ops.array.gather import gather_p
from gradtape._src.ops.elementwise import casting
from gradtape._src.ops.types.dispatch_for_api import elementwise
from gradtape._src.ops.types.ragged_tensor import RaggedTensor

_RAGGED_OR_DENSE = Union[  # noqa: UP007 (what TensorFlow's own annotations are made of)
    RaggedTensor,
    TensorLike,
    int,
    float,
    bool,
    str,
    bytes,
    complex,
    tuple,  # type: ignore[type-arg]
    list,  # type: ignore[type-arg]
    np.ndarray,
    np.generic,
]


@elementwise("unary", RaggedTensor)
def _unary(function: Callable[..., Any], x: RaggedTensor) -> RaggedTensor:
    return x.with_flat_values(function(x.flat_values))


@elementwise("binary", _RAGGED_OR_DENSE, _RAGGED_OR_DENSE)
def _binary(function: Callable[..., Any], x: Any, y: Any) -> RaggedTensor:
    if isinstance(x, RaggedTensor):
        return x.with_flat_values(function(x.flat_values, beside(x, y)))
    ragged: RaggedTensor = y
    return ragged.with_flat_values(function(beside(y, x), y.flat_values))


@elementwise("assert", _RAGGED_OR_DENSE, _RAGGED_OR_DENSE)
def _assertion(function: Callable[..., Any], x: Any, y: Any) -> Any:
    if isinstance(x, RaggedTensor):
        return function(x.flat_values, beside(x, y))
    return function(beside(y, x), y.flat_values)


@implements(casting.bitcast, input=RaggedTensor)
@with_fed_values
def _bitcast(input: RaggedTensor, type: Any, name: str | None = None) -> RaggedTensor:
    return input.with_flat_values(casting.bitcast(input.flat_values, type))


def _of_all_values(function: Callable[..., Any], parameter: str) -> None:
    """Extends a function to ragged tensors, by applying it to all their values."""

    @implements(function, {parameter: RaggedTensor})
    @with_fed_values
    def run(x: RaggedTensor, *args: Any, **kwargs: Any) -> object:
        return function(x.flat_values, *args, **kwargs)


_of_all_values(sorting.is_non_decreasing, "x")
_of_all_values(sorting.is_strictly_increasing, "x")


@deferrable
def beside(x: RaggedTensor, other: Any) -> Tensor:
    """Returns the other operand, aligned with x's innermost values."""
    if isinstance(other, RaggedTensor):
        own: Any = x
        its: Any = other
        while isinstance(own, RaggedTensor) and isinstance(its, RaggedTensor):
            splits, others = own.row_splits._value, its.row_splits._value
            if splits is not others and not np.array_equal(splits, others):
                raise invalid(
                    f"ragged operands must have rows of the same lengths: row splits "
                    f"{own.row_splits.numpy().tolist()} and {its.row_splits.numpy().tolist()}",
                    About.VALUES,
                )
            own, its = own.values, its.values
        return other.flat_values
    y = convert_to_tensor(other, dtype_hint=x.dtype)
    shape = y._value.shape
    if not shape or all(n == 1 for n in shape):
        return y
    rank, own = len(x.shape), x.shape.as_list()[: x.ragged_rank + 1]
    whole = (*(1,) * (rank - len(shape)), *shape)
    front, inner = whole[: len(own)], whole[len(own) :]
    if len(whole) == rank and all(n in (1, m) for n, m in zip(front, own, strict=True)):
        values: Tensor = reshape_p(y, shape=(count(front), *inner))
        if all(n == 1 for n in front):
            return values
        places = [p * (n > 1) for p, n in zip(x._places()[0], front, strict=True)]
        rows = np.ravel_multi_index(tuple(places), front)
        spread: Tensor = gather_p(values, Tensor(rows), axis=0, batch_dims=0)
        return spread
    raise invalid(
        f"a tensor of shape {shape} does not broadcast to a ragged one of shape {x.shape}: it must "
        f"be a scalar, or have one value per row, of shape ({len(x.row_splits) - 1}, 1)"
    )


@export("ragged.map_flat_values")
def map_flat_values(op: Callable[..., Any], *args: Any, **kwargs: Any) -> RaggedTensor:
    """Applies a function to the innermost values of ragged tensors.

    Args:
      op: A function that is given the innermost values of each ragged tensor.
      *args: The arguments of `op`, some of which are ragged tensors.
      **kwargs: The keyword arguments of `op`.

    Returns:
      A ragged tensor with the same rows, or the result of `op` itself if no argument is ragged.

    Raises:
      ValueError: The ragged tensors have different rows, or `op` changes the number of values.
    """
    ragged = [x for x in (*args, *kwargs.values()) if isinstance(x, RaggedTensor)]
    if not ragged:
        out: RaggedTensor = op(*args, **kwargs)
        return out
    for other in ragged[1:]:
        if not same_rows(ragged[0], other):
            raise ValueError("map_flat_values: all ragged tensors must have equal row_splits")

    def flat(x: Any) -> Any:
        return x.flat_values if isinstance(x, RaggedTensor) else x

    values = op(*map(flat, args), **{k: flat(v) for k, v in kwargs.items()})
    return ragged[0].with_flat_values(values)


def same_rows(a: Any, b: Any) -> bool:
    """Whether two ragged tensors have rows of the same lengths."""
    if not isinstance(a, RaggedTensor) or not isinstance(b, RaggedTensor):
        return type(a) is type(b)
    same = np.array_equal(np.asarray(a.row_splits), np.asarray(b.row_splits))
    return same and same_rows(a.values, b.values)
