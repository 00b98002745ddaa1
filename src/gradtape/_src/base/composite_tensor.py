"""The base of the values that are made of several tensors."""

from __future__ import annotations

from math import prod
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

    def _over_values(self, f: Any) -> Any:
        """The same with a function of each element applied to the elements that are there."""
        raise NotImplementedError(f"{type(self).__name__} has no elementwise functions")

    def _filled_like(self, f: Any) -> Any:
        """The same for `zeros_like` and `ones_like`; NotImplemented where TensorFlow has none."""
        return NotImplemented

    def _axes(self) -> tuple[Any, ...]:
        """The lengths of the axes."""
        return tuple(self.shape)  # type: ignore[attr-defined]

    def _dynamic_shape(self) -> Any:
        """What `tf.shape` gives: the lengths of the axes, or a value of its own."""
        return self._axes()

    def _size(self) -> int:
        """How many elements it has, with those that are not kept."""
        return prod(self._axes())

    def _each_row(self) -> list[Any]:
        """Its rows along the first axis."""
        raise ValueError(f"{type(self).__name__} can't be taken apart into rows")

    def _differentiable(self) -> Any:
        """The tensor that stands for the value where it is differentiated; None: it can't be."""
        return None

    def _with_gradient(self, gradient: Any) -> Any:
        """The gradient with respect to that tensor in this value's form."""
        raise NotImplementedError(f"{type(self).__name__} has no gradient")
