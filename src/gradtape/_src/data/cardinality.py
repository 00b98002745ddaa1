"""Computes the number of elements of a dataset without iterating, if possible."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from gradtape._src.base import nest
from gradtape._src.base.export import export_value
from gradtape._src.ops.types.specs import TensorSpec

if TYPE_CHECKING:
    from collections.abc import Sequence

INFINITE: Final = -1
UNKNOWN: Final = -2


def repeated(number: int, times: int) -> int:
    """Returns the number of elements after `repeat(times)`."""
    if number == 0 or times == 0:
        return 0
    if number < 0:
        return INFINITE if times < 0 else number
    return INFINITE if times < 0 else number * times


def taken(number: int, most: int) -> int:
    """Returns the number of elements after `take(most)`."""
    if number == UNKNOWN or most < 0:
        return number
    return most if number == INFINITE else min(number, most)


def skipped(number: int, first: int) -> int:
    """Returns the number of elements after `skip(first)`."""
    if first < 0:
        return 0
    return number if number < 0 else max(0, number - first)


def divided(number: int, size: int, drop_remainder: bool = False) -> int:
    """Returns the number of elements after `batch(size)`."""
    if number < 0:
        return number
    return number // size if drop_remainder else -(-number // size)


def unbatched(number: int, spec: Any) -> int:
    """Returns the number of elements after `unbatch`, for elements of a spec."""
    shapes = [x.shape for x in nest.flatten(spec) if isinstance(x, TensorSpec)]
    lengths = {shape[0] for shape in shapes if shape.rank} - {None}
    rows = lengths.pop() if len(lengths) == 1 else 0
    return number if number < 0 else number * rows if rows else UNKNOWN


def windowed(number: int, span: int, shift: int, drop_remainder: bool) -> int:
    """Returns the number of windows of `span` elements whose starts are `shift` apart."""
    if number < 0:
        return number
    return max(0, number - span + shift) // shift if drop_remainder else -(-number // shift)


def zipped(numbers: Sequence[int]) -> int:
    """Returns the number of elements of zipped datasets."""
    if UNKNOWN in numbers:
        return UNKNOWN
    return min((number for number in numbers if number != INFINITE), default=INFINITE)


def concatenated(one: int, other: int) -> int:
    """Returns the number of elements of concatenated datasets."""
    if INFINITE in (one, other):
        return INFINITE
    return UNKNOWN if UNKNOWN in (one, other) else one + other


def mixed(numbers: Sequence[int]) -> int:
    """Returns the number of elements of a dataset that takes its elements from several datasets.

    As in TensorFlow, the number is unknown if all of them are finite.
    """
    if len(numbers) == 1:
        return numbers[0]
    return INFINITE if INFINITE in numbers else UNKNOWN


export_value(INFINITE, "data.INFINITE_CARDINALITY", "data.experimental.INFINITE_CARDINALITY")
export_value(UNKNOWN, "data.UNKNOWN_CARDINALITY", "data.experimental.UNKNOWN_CARDINALITY")
