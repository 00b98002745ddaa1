"""The base of the values that are made of several tensors."""

from __future__ import annotations

from typing import Any

from gradtape._src.base.dispatch import Dispatchable
from gradtape._src.base.export import export


@export("__internal__.CompositeTensor")
class CompositeTensor(Dispatchable):
    """A value made of several tensors, which `nest` takes apart where asked to.

    Subclasses: `IndexedSlices`, `SparseTensor`, `RaggedTensor`.
    """

    __slots__ = ()

    has_operators = False
    """Whether it answers where a tensor stands on the left of an operator."""
    has_equality = False
    """Whether it answers where a tensor stands on the left of `==` and `!=`."""

    @property
    def _type_spec(self) -> Any:
        """What describes the value beforehand, a `TypeSpec`."""
        raise NotImplementedError(f"{type(self).__name__} has no TypeSpec yet")

    def _each_row(self) -> list[Any]:
        """Its rows along the first axis."""
        raise ValueError(f"{type(self).__name__} can't be taken apart into rows")

    def _differentiable(self) -> Any:
        """The tensor that stands for the value where it is differentiated; None: it can't be."""
        return None

    def _differentiable_parts(self) -> list[Any] | None:
        """The tensors that it is differentiated by; None where there is one, or none."""
        return None

    def _with_gradients(self, gradients: list[Any]) -> Any:
        """The gradients with respect to those tensors in this value's form."""
        raise NotImplementedError(f"{type(self).__name__} has no gradient")

    def _with_gradient(self, gradient: Any) -> Any:
        """The gradient with respect to that tensor in this value's form."""
        raise NotImplementedError(f"{type(self).__name__} has no gradient")
