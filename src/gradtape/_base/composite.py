"""The base of the values that are made of several tensors."""

from __future__ import annotations

from typing import Any


class CompositeTensor:
    """A value made of several tensors, which `nest` takes apart where asked to.

    Subclasses: `IndexedSlices`, `SparseTensor`, `RaggedTensor`.
    """

    __slots__ = ()

    @property
    def _type_spec(self) -> Any:
        """What describes the value beforehand, a `TypeSpec`."""
        raise NotImplementedError(f"{type(self).__name__} has no TypeSpec yet")

    def _differentiable(self) -> Any:
        """The tensor that stands for the value where it is differentiated; None: it can't be."""
        return None

    def _with_gradient(self, gradient: Any) -> Any:
        """The gradient with respect to that tensor in this value's form."""
        raise NotImplementedError(f"{type(self).__name__} has no gradient")
