"""Rules for products, quotients, adjoints, inverses and Cholesky factors of operators.

A rule is registered for one or two classes of operators. The first matching rule is applied, so
that special rules are registered before general ones.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


class Rules:
    """Rules by the classes of their operands.

    Args:
      what: The name of the result, for the message if no rule matches.
    """

    def __init__(self, what: str) -> None:
        self._what = what
        self._rules: list[tuple[tuple[type, ...], Callable[..., Any]]] = []

    def rule(self, *classes: type) -> Callable[[F], F]:
        """Registers the decorated function for operands of these classes and their subclasses."""

        def register(function: F) -> F:
            self._rules.append((classes, function))
            return function

        return register

    def apply(self, *operands: Any) -> object:
        """Returns the result of the first rule that matches.

        Raises:
          NotImplementedError: No rule matches.
        """
        for classes, function in self._rules:
            if all(map(isinstance, operands, classes)):
                return function(*operands)
        names = " and ".join(type(operand).__name__ for operand in operands)
        raise NotImplementedError(f"there is no rule for the {self._what} of {names}")


PRODUCTS = Rules("product")
QUOTIENTS = Rules("solution of systems of equations")
ADJOINTS = Rules("adjoint")
INVERSES = Rules("inverse")
CHOLESKY_FACTORS = Rules("Cholesky factor")
