"""Tensors of dtype `variant`, whose elements are objects, such as lists of tensors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

import numpy as np

from gradtape._src.base.dtypes import variant
from gradtape._src.core.tensor import Tensor

VARIANT = variant.np_dtype


class Variant(Protocol):
    """An object that a tensor can hold."""

    def contents(self) -> Iterable[Any]:
        """Returns the tensors of which the object consists; None for those that are not set."""


def handle_of(held: Variant | None) -> Tensor:
    """Returns a scalar that holds an object, or nothing."""
    value = np.empty((), VARIANT)
    value[()] = (held,)
    return Tensor(value)


def handles_of(held: Sequence[Variant]) -> Tensor:
    """Returns a vector that holds objects."""
    value = np.empty(len(held), VARIANT)
    for i, x in enumerate(held):
        value[i] = (x,)
    return Tensor(value)


def held_by(handles: Any) -> list[Any] | None:
    """Returns the objects that a tensor holds, or None for another value or a symbol."""
    value = handles._value if type(handles) is Tensor else None
    if isinstance(value, (np.ndarray, np.void)) and value.dtype == VARIANT:
        return [x for (x,) in np.reshape(value, -1).tolist()]
    return None


def has_open_contents(x: Tensor) -> bool:
    """Whether a tensor holds objects with tensors whose values are not known."""
    return any(
        y is not None
        and (not isinstance(y._value, (np.ndarray, np.generic)) or has_open_contents(y))
        for held in held_by(x) or ()
        if held is not None
        for y in held.contents()
    )
