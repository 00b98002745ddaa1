"""What tensors and variables have in common, said for type checkers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any


class Operators:
    """The operators; `ops.operators.methods` puts them on `TensorLike`."""

    __slots__ = ()

    if TYPE_CHECKING:
        __add__: Callable[[Any, Any], Any]
        __radd__: Callable[[Any, Any], Any]
        __sub__: Callable[[Any, Any], Any]
        __rsub__: Callable[[Any, Any], Any]
        __mul__: Callable[[Any, Any], Any]
        __rmul__: Callable[[Any, Any], Any]
        __truediv__: Callable[[Any, Any], Any]
        __rtruediv__: Callable[[Any, Any], Any]
        __floordiv__: Callable[[Any, Any], Any]
        __rfloordiv__: Callable[[Any, Any], Any]
        __mod__: Callable[[Any, Any], Any]
        __rmod__: Callable[[Any, Any], Any]
        __pow__: Callable[[Any, Any], Any]
        __rpow__: Callable[[Any, Any], Any]
        __matmul__: Callable[[Any, Any], Any]
        __rmatmul__: Callable[[Any, Any], Any]
        __and__: Callable[[Any, Any], Any]
        __rand__: Callable[[Any, Any], Any]
        __or__: Callable[[Any, Any], Any]
        __ror__: Callable[[Any, Any], Any]
        __xor__: Callable[[Any, Any], Any]
        __rxor__: Callable[[Any, Any], Any]
        __lt__: Callable[[Any, Any], Any]
        __le__: Callable[[Any, Any], Any]
        __gt__: Callable[[Any, Any], Any]
        __ge__: Callable[[Any, Any], Any]
        __neg__: Callable[[Any], Any]
        __abs__: Callable[[Any], Any]
        __invert__: Callable[[Any], Any]
        __getitem__: Callable[[Any, Any], Any]
