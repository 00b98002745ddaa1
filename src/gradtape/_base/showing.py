"""Referring to values, and showing them."""

from __future__ import annotations

from typing import Any

import numpy as np


class Reference:
    """A hashable stand-in for a tensor or variable: equal where the object is the same one."""

    __slots__ = ("_wrapped",)

    def __init__(self, wrapped: Any) -> None:
        self._wrapped = wrapped

    def deref(self) -> Any:
        """The object that is referred to."""
        return self._wrapped

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reference) and self._wrapped is other._wrapped

    def __hash__(self) -> int:
        return id(self._wrapped)

    def __repr__(self) -> str:
        return f"<Reference wrapping {self._wrapped!r}>"


def shown(value: Any) -> str:
    """A raw value as it stands in a `repr`: `numpy=...`, arrays on lines of their own."""
    if not isinstance(value, (np.ndarray, np.generic)):
        return f"value={value!r}"
    if value.ndim:
        text = repr(value)
        return "numpy=" + ("\n" if "\n" in text else "") + text
    item = value.item() if value.dtype.kind != "V" else float(value)
    return f"numpy={item!r}"
