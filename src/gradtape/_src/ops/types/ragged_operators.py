"""Python's operators on ragged tensors."""

from __future__ import annotations

from typing import Any, Self, cast

from gradtape._src.declare.graph_operations import deferrable
from gradtape._src.ops.elementwise import arithmetic, comparison, division, logical, powers
from gradtape._src.ops.linalg.matmul import matmul


class RaggedOperators:
    """The elementwise operators, whose results are ragged."""

    __slots__ = ()

    @deferrable
    def __add__(self, other: Any) -> Self:
        return cast("Self", arithmetic.add(self, other))

    @deferrable
    def __radd__(self, other: Any) -> Self:
        return cast("Self", arithmetic.add(other, self))

    @deferrable
    def __sub__(self, other: Any) -> Self:
        return cast("Self", arithmetic.subtract(self, other))

    @deferrable
    def __rsub__(self, other: Any) -> Self:
        return cast("Self", arithmetic.subtract(other, self))

    @deferrable
    def __mul__(self, other: Any) -> Self:
        return cast("Self", arithmetic.multiply(self, other))

    @deferrable
    def __rmul__(self, other: Any) -> Self:
        return cast("Self", arithmetic.multiply(other, self))

    @deferrable
    def __matmul__(self, other: Any) -> Self:
        return cast("Self", matmul(self, other))

    @deferrable
    def __rmatmul__(self, other: Any) -> Self:
        return cast("Self", matmul(other, self))

    @deferrable
    def __truediv__(self, other: Any) -> Self:
        return cast("Self", division.truediv(self, other))

    @deferrable
    def __rtruediv__(self, other: Any) -> Self:
        return cast("Self", division.truediv(other, self))

    @deferrable
    def __floordiv__(self, other: Any) -> Self:
        return cast("Self", division.floordiv(self, other))

    @deferrable
    def __rfloordiv__(self, other: Any) -> Self:
        return cast("Self", division.floordiv(other, self))

    @deferrable
    def __mod__(self, other: Any) -> Self:
        return cast("Self", division.floormod(self, other))

    @deferrable
    def __rmod__(self, other: Any) -> Self:
        return cast("Self", division.floormod(other, self))

    @deferrable
    def __pow__(self, other: Any) -> Self:
        return cast("Self", powers.pow(self, other))

    @deferrable
    def __rpow__(self, other: Any) -> Self:
        return cast("Self", powers.pow(other, self))

    @deferrable
    def __and__(self, other: Any) -> Self:
        return cast("Self", logical.logical_and(self, other))

    @deferrable
    def __rand__(self, other: Any) -> Self:
        return cast("Self", logical.logical_and(other, self))

    @deferrable
    def __or__(self, other: Any) -> Self:
        return cast("Self", logical.logical_or(self, other))

    @deferrable
    def __ror__(self, other: Any) -> Self:
        return cast("Self", logical.logical_or(other, self))

    @deferrable
    def __xor__(self, other: Any) -> Self:
        return cast("Self", logical.logical_xor(self, other))

    @deferrable
    def __rxor__(self, other: Any) -> Self:
        return cast("Self", logical.logical_xor(other, self))

    @deferrable
    def __lt__(self, other: Any) -> Self:
        return cast("Self", comparison.less(self, other))

    @deferrable
    def __le__(self, other: Any) -> Self:
        return cast("Self", comparison.less_equal(self, other))

    @deferrable
    def __gt__(self, other: Any) -> Self:
        return cast("Self", comparison.greater(self, other))

    @deferrable
    def __ge__(self, other: Any) -> Self:
        return cast("Self", comparison.greater_equal(self, other))

    @deferrable
    def __neg__(self) -> Self:
        return cast("Self", arithmetic.negative(self))

    @deferrable
    def __abs__(self) -> Self:
        return cast("Self", arithmetic.abs(self))

    @deferrable
    def __invert__(self) -> Self:
        return cast("Self", logical.logical_not(self))
