"""The hints of an operator: whether it is square, self-adjoint and so on.

A hint is True, False, or None if nothing is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

Hint = bool | None


class Hinted(Protocol):
    """An object with the four hints of an operator."""

    @property
    def is_non_singular(self) -> Hint: ...
    @property
    def is_self_adjoint(self) -> Hint: ...
    @property
    def is_positive_definite(self) -> Hint: ...
    @property
    def is_square(self) -> Hint: ...


def implied(hint: Hint, truth: bool, what: str) -> bool:
    """Returns a hint that follows from the class or the other arguments of an operator.

    Args:
      hint: The program's argument.
      truth: The value that follows for the hint.
      what: The reason, for the message.

    Raises:
      ValueError: The program gave the opposite value.
    """
    if isinstance(hint, bool) and hint is not truth:
        raise ValueError(f"{what}, but the hint given is {hint}")
    return truth


def taken_over(operator: Hinted, name: str, hint: Hint, relation: str) -> Hint:
    """Returns the hint of an adjoint or inverse, which equals the operator's own hint.

    Args:
      operator: The operator.
      name: The name of the hint.
      hint: The program's hint for the adjoint or inverse.
      relation: The relation to the operator, for the message.

    Raises:
      ValueError: The two hints contradict each other.
    """
    own: Hint = getattr(operator, name)
    if own is None or hint is None:
        return own if hint is None else hint
    if bool(own) is not bool(hint):
        raise ValueError(
            f"an operator and its {relation} have the same properties, but the hint "
            f"`{name}` is {own} for the operator and {hint} for its {relation}"
        )
    return hint


def shared_by_all(operators: Iterable[Hinted], name: str, hint: Hint, what: str) -> Hint:
    """Returns the hint of a composed operator: True if it is True for all its parts.

    Raises:
      ValueError: The hint is True for all parts, but the program gave False.
    """
    if all(getattr(operator, name) for operator in operators):
        return implied(hint, True, f"{what} has `{name}` True where all operators have")
    return hint


def both_square(left: Hinted, right: Hinted) -> Hint:
    """Whether a product of two operators is square."""
    if left.is_square and right.is_square:
        return True
    if left.is_square is False and right.is_square is False:
        rows: Any = left
        columns: Any = right
        if rows.range_dimension is not None and columns.domain_dimension is not None:
            return bool(rows.range_dimension == columns.domain_dimension)
        return None
    if left.is_square is None or right.is_square is None:
        return None
    return False


def both_non_singular(left: Hinted, right: Hinted) -> Hint:
    """Whether a product of two square operators is non-singular."""
    if left.is_non_singular is False or right.is_non_singular is False:
        return False
    return True if left.is_non_singular and right.is_non_singular else None


def of_product(left: Hinted, right: Hinted) -> dict[str, Any]:
    """Returns the hints of a product of any two operators."""
    square = both_square(left, right)
    if square is False:
        return dict.fromkeys(("is_non_singular", "is_self_adjoint", "is_positive_definite"), False)
    return {"is_non_singular": both_non_singular(left, right) if square else None}


def of_commuting(left: Hinted, right: Hinted) -> dict[str, Any]:
    """Returns the hints of a product of two commuting operators."""
    a, b = left.is_self_adjoint, right.is_self_adjoint
    self_adjoint = None if a is None or b is None or not (a or b) else bool(a and b)
    positive = all((a, b, left.is_positive_definite, right.is_positive_definite))
    return {
        "is_non_singular": both_non_singular(left, right),
        "is_self_adjoint": self_adjoint,
        "is_positive_definite": positive or None,
    }


def hints_of(operator: Hinted) -> dict[str, Any]:
    """Returns the four hints of an operator by name."""
    return {
        "is_non_singular": operator.is_non_singular,
        "is_self_adjoint": operator.is_self_adjoint,
        "is_positive_definite": operator.is_positive_definite,
        "is_square": operator.is_square,
    }


def arguments(scope: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the arguments of a constructor, given its `locals()`."""
    return {k: v for k, v in scope.items() if k not in ("self", "__class__")}
