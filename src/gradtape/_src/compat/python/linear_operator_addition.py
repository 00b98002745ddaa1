"""The module `tensorflow.python.ops.linalg.linear_operator_addition`."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from typing import Any

from gradtape._src.declare.unknown_sizes import broadcast_shapes
from gradtape._src.ops.linear_operators.diag import LinearOperatorDiag
from gradtape._src.ops.linear_operators.hints import Hint
from gradtape._src.ops.linear_operators.identity_and_zeros import (
    LinearOperatorIdentity,
    LinearOperatorScaledIdentity,
)
from gradtape._src.ops.linear_operators.linear_operator import LinearOperator
from gradtape._src.ops.linear_operators.matrices import (
    LinearOperatorFullMatrix,
    LinearOperatorLowerTriangular,
)
from gradtape._src.ops.linear_operators.operator_shape import sizes_of

_KINDS: tuple[tuple[type[LinearOperator], ...], ...] = (
    (LinearOperatorIdentity, LinearOperatorScaledIdentity),
    (LinearOperatorDiag,),
    (LinearOperatorLowerTriangular,),
    (LinearOperatorFullMatrix,),
)
"""The classes of operators that can be added; a sum has the later class of its terms."""


def add_operators(
    operators: Any, operator_name: str | None = None, name: str | None = None
) -> list[LinearOperator]:
    """Adds operators.

    Args:
      operators: Multiples of the identity, diagonal, lower triangular or full matrices.
      operator_name: The name of the sum; by default, made from the names of the terms.
      name: Accepted for compatibility.

    Returns:
      A list with the sum; for a single operator of any class, a list with the operator itself.

    Raises:
      TypeError: `operators` is not a list, or an operator is of another class.
      ValueError: The list is empty, or the shapes are incompatible.
    """
    if isinstance(operators, LinearOperator) or not isinstance(operators, Iterable):
        raise TypeError(f"add_operators: `operators` must be a list, got {operators!r}")
    terms: list[LinearOperator] = list(operators)
    if not terms:
        raise ValueError("add_operators: `operators` must have one or more operators, got none")
    sizes = [sizes_of(term) for term in terms]
    if len({s[-2:] for s in sizes}) > 1:
        raise ValueError(f"add_operators: all operators must have one shape, got {sizes}")
    broadcast_shapes(*[s[:-2] for s in sizes])
    if len(terms) == 1:
        return terms
    return [reduce(lambda a, b: _added(a, b, operator_name), terms)]


def _kind(operator: LinearOperator) -> int:
    for place, classes in enumerate(_KINDS):
        if isinstance(operator, classes):
            return place
    known = [cls.__name__ for classes in _KINDS for cls in classes]
    raise TypeError(f"add_operators: expected one of {known}, got a {type(operator).__name__}")


def _both(a: Hint, b: Hint) -> Hint:
    return True if a and b else None


def _added(one: LinearOperator, two: LinearOperator, name: str | None) -> LinearOperator:
    """Adds two operators; the sum has only the hints that both operators have."""
    kind = max(_kind(one), _kind(two))
    positive = _both(one.is_positive_definite, two.is_positive_definite)
    hints: dict[str, Any] = {
        "is_self_adjoint": _both(one.is_self_adjoint, two.is_self_adjoint),
        "is_positive_definite": positive,
        "is_non_singular": positive,
        "name": f"Add/{one.name}__{two.name}/" if name is None else name,
    }
    if kind == 0:
        factor = one.diag_part()[..., 0] + two.diag_part()[..., 0]
        return LinearOperatorScaledIdentity(sizes_of(one)[-1], factor, **hints)
    if kind == 1:
        return LinearOperatorDiag(one.diag_part() + two.diag_part(), **hints)
    dense, other = (two, one) if _kind(one) < _kind(two) else (one, two)
    total = other.add_to_tensor(dense.to_dense())
    made = LinearOperatorLowerTriangular if kind == 2 else LinearOperatorFullMatrix
    return made(total, **hints)
