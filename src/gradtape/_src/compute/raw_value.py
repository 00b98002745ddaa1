"""The type of the values on which kernels compute, and values that hold an object."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np


class RawValue(Protocol):
    """The attributes that NumPy's arrays and scalars and JAX's arrays have in common.

    A kernel takes such values and returns them; `Tensor` wraps one.
    """

    @property
    def shape(self) -> tuple[int, ...]:
        """The length of each axis."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """The NumPy dtype."""

    @property
    def ndim(self) -> int:
        """The number of axes."""

    @property
    def size(self) -> int:
        """The number of elements."""

    @property
    def itemsize(self) -> int:
        """The bytes of one element."""

    @property
    def real(self) -> RawValue:
        """The real parts."""

    @property
    def imag(self) -> RawValue:
        """The imaginary parts."""

    @property
    def astype(self) -> Callable[..., RawValue]:
        """Converts to a dtype."""

    @property
    def reshape(self) -> Callable[..., RawValue]:
        """Gives the elements another shape."""

    def __array__(self, /) -> np.ndarray[Any, Any]: ...

    def __neg__(self) -> RawValue: ...

    def __abs__(self) -> RawValue: ...

    def __add__(self, other: Any, /) -> RawValue: ...

    def __radd__(self, other: Any, /) -> RawValue: ...

    def __sub__(self, other: Any, /) -> RawValue: ...

    def __rsub__(self, other: Any, /) -> RawValue: ...

    def __mul__(self, other: Any, /) -> RawValue: ...

    def __rmul__(self, other: Any, /) -> RawValue: ...

    def __truediv__(self, other: Any, /) -> RawValue: ...

    def __rtruediv__(self, other: Any, /) -> RawValue: ...

    def __lt__(self, other: Any, /) -> Any: ...

    def __gt__(self, other: Any, /) -> Any: ...


def boxed(x: object) -> np.ndarray[Any, Any]:
    """Wraps an object, such as a string or a dataset, as the value of a scalar."""
    box = np.empty((), object)
    box[()] = x
    return box
