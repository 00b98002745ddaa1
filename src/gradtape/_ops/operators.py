"""Puts the operators on tensors and variables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradtape._core.convert import tensor
from gradtape._core.primitive import Bound
from gradtape._core.tensor import TensorLike
from gradtape._core.variable import Variable
from gradtape._ops import elementwise as e
from gradtape._ops.indexing import getitem
from gradtape._ops.shaping import identity_p


def _install(name: str, run: Bound) -> None:
    """Makes an operation of two inputs the operator of this name, on either side."""
    operator = run.operator

    def reflected(self: Any, other: Any) -> Any:
        return operator(other, self)

    setattr(TensorLike, f"__{name}__", operator)
    setattr(TensorLike, f"__r{name}__", reflected)


def _one(run: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda self: run(tensor(self))


for _name, _run in {
    "add": e.add_p,
    "sub": e.sub_p,
    "mul": e.mul_p,
}.items():
    _install(_name, _run)

for _name, _run in {
    "lt": e.less_p,
    "le": e.less_equal_p,
    "gt": e.greater_p,
    "ge": e.greater_equal_p,
}.items():
    setattr(TensorLike, f"__{_name}__", _run.operator)
_install("truediv", e.div_p)
TensorLike.__neg__ = _one(e.neg_p)
TensorLike.__getitem__ = getitem
Variable._copy_of = staticmethod(identity_p)
