"""Puts the operators on ragged tensors, and the few that TensorFlow has on sparse ones."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape._core.convert import convert_to_tensor
from gradtape._core.tensor import Tensor
from gradtape._ops.arguments import invalid
from gradtape._ops.families import broadcast_to_p
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
    if x.ragged_rank == 1 and len(shape) > 1 and shape[:2] == (len(x.row_splits) - 1, 1):
        lengths = np.diff(x.row_splits._value)
        rows = np.repeat(np.arange(len(lengths)), lengths)
        return gather_p(y[:, 0], Tensor(rows), axis=0, batch_dims=0)
    inner = x.flat_values._value.shape[1:]
    if len(shape) <= len(inner):
        return y  # along the uniform axes inside
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
