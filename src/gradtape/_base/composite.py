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
