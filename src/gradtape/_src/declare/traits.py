"""Properties of operations other than their values and derivatives."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

    from gradtape._src.core.primitive import Outputs, Primitive


class Hazard(enum.Enum):
    """A way in which an operation can have non-finite results or derivatives."""

    DIVISION = "infinite where the last operand is 0"
    INVERSE = "infinite where the operand is 0"
    LOGARITHM = "infinite at 0, undefined below"
    ROOT = "an infinite slope at 0, undefined below"
    INVERSE_ROOT = "infinite at 0, undefined below 0"
    NORM = "no derivative at the zero vector"
    POWER = "undefined for a fractional power of a negative number"
    DOMAIN = "undefined outside of an interval, with an infinite slope at its ends"
    PRODUCT = "undefined for 0 times infinity"
    MEAN = "undefined for no elements"


class Pattern(enum.Enum):
    """The way in which elements of the result depend on elements of the operands."""

    ELEMENTWISE = "each on the elements at its own position"
    MOVED = "each on one element, which moves to another position"
    ROWS_ADDED = "rows that are added up by index"
    REDUCED = "each on all elements along some axes"
    ALONG_AXIS = "each on the elements in its line along one axis"
    MATRIX_PRODUCT = "each on a row of the first operand and a column of the second"
    EINSUM = "each on the elements with its labels in the parameter `spec`"
    CONVOLVED = "each on the patch under it of the first operand, and on all of the second"
    CONVOLVED_BACK = "the transpose of CONVOLVED"
    DENSE = "each on all elements"


@dataclass(frozen=True, slots=True)
class Traits:
    """Properties of an operation other than its value and derivatives.

    Attributes:
      hazard: The cause of possible non-finite results; None for a safe operation.
      passes_on: Whether it only moves numbers, so that it moves a mask of infinities correctly,
        too.
      pattern: The dependencies of the result's elements on those of operands; None if the family
        determines it.
      only_checks: Whether it only checks its input and returns it; XLA programs omit the check.
      result: For an operation whose result's shape depends on the operands' values: returns the
        shape for given operands, with None for lengths that depend on values, and the dtype.
      in_place: Computes the result in the memory of its first operand, which is not used
        afterwards; None if that is impossible.
      in_graph: Computes the result by other operations while a function is traced; None if graphs
        hold the operation itself.
      costly: Whether XLA computes it faster on large arrays than NumPy, which `set_jit` makes use
        of for eager operations.
      costs_as: The function of NumPy that takes most of the time; "" for the operation's own. If
        NumPy has AVX-512 code of it, the operation is not costly.
      costly_rule: Whether the same holds for its gradient.
      no_xla: Why XLA cannot compute it and what to write instead, for the error message.
    """

    hazard: Hazard | None = None
    passes_on: bool = False
    pattern: Pattern | None = None
    only_checks: bool = False
    result: Callable[..., tuple[tuple[int | None, ...], np.dtype[Any]]] | None = None
    in_place: Callable[..., None] | None = None
    in_graph: Callable[..., Outputs] | None = None
    costly: bool = False
    costs_as: str = ""
    costly_rule: bool = False
    no_xla: str = ""


NO_TRAITS = Traits()
COSTLY = Traits(costly=True, costly_rule=True)


def traits_of(primitive: Primitive) -> Traits:
    """Returns the traits that an operation was declared with."""
    return primitive.traits or NO_TRAITS
