"""Puts the operators on ragged tensors, and the few that TensorFlow has on sparse ones."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape._core.convert import convert_to_tensor
from gradtape._core.tensor import Tensor
from gradtape._ops.arguments import invalid
from gradtape._ops.families import broadcast_to_p, count, reshape_p
from gradtape._ops.ragged import RaggedTensor
from gradtape._ops.rows import gather_p
from gradtape._ops.scatter import gather_nd
from gradtape._ops.sparse import SparseTensor

Operator = Callable[[Any, Any], Any]


def beside(x: RaggedTensor, other: Any) -> Any:
    """The other operand, in the places of x's innermost values."""
    if isinstance(other, RaggedTensor):
        own: Any = x
        its: Any = other
        while isinstance(own, RaggedTensor) and isinstance(its, RaggedTensor):
            if not np.array_equal(own.row_splits._value, its.row_splits._value):
                raise invalid(
                    f"ragged operands must have rows of the same lengths: row splits "
                    f"{own.row_splits.numpy().tolist()} and {its.row_splits.numpy().tolist()}"
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
        values = reshape_p(y, shape=(count(front), *inner))
        if all(n == 1 for n in front):
            return values
        places = [p * (n > 1) for p, n in zip(x._places()[0], front, strict=True)]
        rows = np.ravel_multi_index(tuple(places), front)
        return gather_p(values, Tensor(rows), axis=0, batch_dims=0)
    raise invalid(
        f"a tensor of shape {shape} does not broadcast to a ragged one of shape {x.shape}: it must "
        f"be a scalar, or have one value per row, of shape ({len(x.row_splits) - 1}, 1)"
    )


def _ragged(run: Operator) -> Operator:
    def compute(self: RaggedTensor, other: Any) -> Any:
        return self.with_flat_values(run(self.flat_values, beside(self, other)))

    return compute


def _reflected(run: Operator) -> Operator:
    def compute(self: RaggedTensor, other: Any) -> Any:
        return self.with_flat_values(run(beside(self, other), self.flat_values))

    return compute


def _sparse(run: Operator) -> Operator:
    """The operation on the elements that are there; the other operand is dense."""

    def compute(self: SparseTensor, other: Any) -> Any:
        if isinstance(other, SparseTensor):
            return NotImplemented
        y = convert_to_tensor(other, dtype_hint=self.dtype)
        if y._value.ndim:
            shape = tuple(self.dense_shape._value.tolist())
            if np.broadcast_shapes(shape, y._value.shape) != shape:
                raise invalid(
                    f"SparseDenseBinaryOpShared broadcasts dense to sparse only; got incompatible "
                    f"shapes: {list(shape)} and {list(y._value.shape)}"
                )
            y = gather_nd(broadcast_to_p(y, shape=shape), self.indices)
        return self.with_values(run(self.values, y))

    return compute


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor"):
    _run = getattr(operator, f"{_name}_" if _name in ("and", "or") else _name)
    setattr(RaggedTensor, f"__{_name}__", _ragged(_run))
    setattr(RaggedTensor, f"__r{_name}__", _reflected(_run))
for _name in ("lt", "le", "gt", "ge"):
    setattr(RaggedTensor, f"__{_name}__", _ragged(getattr(operator, _name)))
for _name in ("neg", "abs", "invert"):
    _one = getattr(operator, _name)
    setattr(RaggedTensor, f"__{_name}__", lambda self, run=_one: self._over_values(run))
for _name in ("mul", "truediv"):
    setattr(SparseTensor, f"__{_name}__", _sparse(getattr(operator, _name)))
