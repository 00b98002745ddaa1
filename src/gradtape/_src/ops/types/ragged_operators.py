"""The operators of Python on ragged tensors."""

from __future__ import annotations

from typing import Any, Self, cast

from gradtape._src.ops.elementwise import arithmetic, comparison, division, logical, powers


class RaggedOperators:
    """The operators that compute elementwise, with ragged results."""

    __slots__ = ()

    def __add__(self, other: Any) -> Self:
        return cast("Self", arithmetic.add(self, other))

    def __radd__(self, other: Any) -> Self:
        return cast("Self", arithmetic.add(other, self))

    def __sub__(self, other: Any) -> Self:
        return cast("Self", arithmetic.subtract(self, other))

    def __rsub__(self, other: Any) -> Self:
        return cast("Self", arithmetic.subtract(other, self))

    def __mul__(self, other: Any) -> Self:
        return cast("Self", arithmetic.multiply(self, other))

    def __rmul__(self, other: Any) -> Self:
        return cast("Self", arithmetic.multiply(other, self))

    def __truediv__(self, other: Any) -> Self:
        return cast("Self", division.truediv(self, other))

    def __rtruediv__(self, other: Any) -> Self:
        return cast("Self", division.truediv(other, self))

    def __floordiv__(self, other: Any) -> Self:
        return cast("Self", division.floordiv(self, other))

    def __rfloordiv__(self, other: Any) -> Self:
        return cast("Self", division.floordiv(other, self))

    def __mod__(self, other: Any) -> Self:
        return cast("Self", division.floormod(self, other))

    def __rmod__(self, other: Any) -> Self:
        return cast("Self", division.floormod(other, self))

    def __pow__(self, other: Any) -> Self:
        return cast("Self", powers.pow(self, other))

    def __rpow__(self, other: Any) -> Self:
        return cast("Self", powers.pow(other, self))

    def __and__(self, other: Any) -> Self:
        return cast("Self", logical.logical_and(self, other))

    def __rand__(self, other: Any) -> Self:
        return cast("Self", logical.logical_and(other, self))

    def __or__(self, other: Any) -> Self:
        return cast("Self", logical.logical_or(self, other))

    def __ror__(self, other: Any) -> Self:
        return cast("Self", logical.logical_or(other, self))

    def __xor__(self, other: Any) -> Self:
        return cast("Self", logical.logical_xor(self, other))

    def __rxor__(self, other: Any) -> Self:
        return cast("Self", logical.logical_xor(other, self))

    def __lt__(self, other: Any) -> Self:
        return cast("Self", comparison.less(self, other))

    def __le__(self, other: Any) -> Self:
        return cast("Self", comparison.less_equal(self, other))

    def __gt__(self, other: Any) -> Self:
        return cast("Self", comparison.greater(self, other))

    def __ge__(self, other: Any) -> Self:
        return cast("Self", comparison.greater_equal(self, other))

    def __neg__(self) -> Self:
        return cast("Self", arithmetic.negative(self))

    def __abs__(self) -> Self:
        return cast("Self", arithmetic.abs(self))

    def __invert__(self) -> Self:
        return cast("Self", logical.logical_not(self))
