"""Puts the operators on ragged tensors, and the few that TensorFlow has on sparse ones."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape._src.base.errors import InvalidArgumentError
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor, TensorLike
from gradtape._src.declare.arguments import invalid
from gradtape._src.declare.families import broadcast_to_p, count, reshape_p
from gradtape._src.ops.array.gather import gather_p
from gradtape._src.ops.array.scatter import gather_nd
from gradtape._src.ops.elementwise import comparison, logical
from gradtape._src.ops.types.ragged_tensor import RaggedTensor
from gradtape._src.ops.types.sparse_tensor import SparseTensor

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


def _reaches(own: tuple[int, ...], shape: tuple[int, ...]) -> bool:
    """Whether a shape broadcasts to another one."""
    lengths = zip(reversed(own), reversed(shape), strict=False)
    return len(own) <= len(shape) and all(n in (1, m) for n, m in lengths)


def _sparse(run: Operator) -> Operator:
    """The operation on the elements that are there; the other operand is dense."""

    def compute(self: SparseTensor, other: Any) -> Any:
        if isinstance(other, SparseTensor):
            return NotImplemented
        y = convert_to_tensor(other, dtype_hint=self.dtype)
        if y._value.ndim:
            shape = tuple(self.dense_shape._value.tolist())
            if not _reaches(y._value.shape, shape):
                raise invalid(
                    f"SparseDenseBinaryOpShared broadcasts dense to sparse only; got incompatible "
                    f"shapes: {list(shape)} and {list(y._value.shape)}"
                )
            y = gather_nd(broadcast_to_p(y, shape=shape), self.indices)
        return self.with_values(run(self.values, y))

    return compute


def _equality(run: Operator, *, different: bool) -> Operator:
    """`==` or `!=`: elementwise, and one truth value where rows or dtypes differ."""

    def compute(self: RaggedTensor, other: Any) -> Any:
        if other is None:
            return different
        try:
            return self.with_flat_values(run(self.flat_values, beside(self, other)))
        except InvalidArgumentError:
            return different
        except ValueError:
            if isinstance(other, (list, tuple)):  # rows of different lengths
                return different
            raise

    return compute


def _after_tensor(name: str, run: Operator | None = None) -> Operator:
    """The operator of a tensor on the left of a sparse or ragged one; an error without `run`."""

    def compute(self: Any, other: Any) -> Any:
        if not isinstance(other, TensorLike):
            return NotImplemented
        if run is not None:
            return run(self, other)
        raise ValueError(
            f"`{name}` of a tensor and a {type(self).__name__}: there is no such operator; make "
            f"the {type(self).__name__} a tensor first (to_tensor, tf.sparse.to_dense)."
        )

    return compute


def _refuse_hash(self: RaggedTensor) -> int:
    raise TypeError("RaggedTensor is unhashable.")


def _refuse_bool(self: RaggedTensor) -> bool:
    raise TypeError("RaggedTensor may not be used as a boolean.")


_logical: dict[str, Operator] = {
    "and": logical.logical_and_p,
    "or": logical.logical_or_p,
    "xor": lambda x, y: comparison.not_equal_p(
        logical.logical_and_p(x, x), logical.logical_and_p(y, y)
    ),
}
for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", *_logical):
    _run = _logical.get(_name) or getattr(operator, _name)
    setattr(RaggedTensor, f"__{_name}__", _ragged(_run))
    setattr(RaggedTensor, f"__r{_name}__", _reflected(_run))
for _name in ("lt", "le", "gt", "ge"):
    setattr(RaggedTensor, f"__{_name}__", _ragged(getattr(operator, _name)))
for _name in ("neg", "abs"):
    _one = getattr(operator, _name)
    setattr(RaggedTensor, f"__{_name}__", lambda self, run=_one: self._over_values(run))
for _name, _special in {
    "eq": _equality(comparison.equal_p, different=False),
    "ne": _equality(comparison.not_equal_p, different=True),
    "invert": lambda self: self._over_values(logical.logical_not_p),
    "hash": _refuse_hash,
    "bool": _refuse_bool,
}.items():
    setattr(RaggedTensor, f"__{_name}__", _special)
for _name in ("mul", "truediv"):
    setattr(SparseTensor, f"__{_name}__", _sparse(getattr(operator, _name)))
_times = _after_tensor("mul", _sparse(operator.mul))
setattr(SparseTensor, "__rmul__", _times)  # noqa: B010
for _name in ("add", "sub", "truediv", "floordiv", "mod", "pow", "matmul", *_logical):
    setattr(SparseTensor, f"__r{_name}__", _after_tensor(_name))
for _name in ("lt", "le", "gt", "ge"):
    setattr(SparseTensor, f"__{_name}__", _after_tensor(_name))
setattr(RaggedTensor, "__rmatmul__", _after_tensor("matmul"))  # noqa: B010
