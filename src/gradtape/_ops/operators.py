"""Puts the operators on tensors and variables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradtape._core.convert import like, tensor
from gradtape._core.primitive import Bound
from gradtape._core.tensor import Tensor, TensorLike
from gradtape._ops import elementwise as e


def _forward(run: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def operator(self: Any, other: Any) -> Any:
        if type(self) is not Tensor:
            self = tensor(self)
        if type(other) is not Tensor:
            other = like(other, self)
        return run(self, other)

    return operator


def _reflected(run: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def operator(self: Any, other: Any) -> Any:
        if type(self) is not Tensor:
            self = tensor(self)
        if type(other) is not Tensor:
            other = like(other, self)
        return run(other, self)

    return operator


def _install(name: str, run: Callable[[Any, Any], Any], *, reflected: bool = True) -> None:
    setattr(TensorLike, f"__{name}__", _forward(run))
    if reflected:
        setattr(TensorLike, f"__r{name}__", _reflected(run))


_install("add", e.add_p)
_install("sub", e.sub_p)
_install("mul", e.mul_p)
_install("truediv", e.div_p)
TensorLike.__neg__ = lambda self: e.neg_p(tensor(self))
