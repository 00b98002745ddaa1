"""The rules for exporting operations of a graph, by the name of their primitive."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

Rule = Callable[..., Any]
"""`(part, *inputs, **parameters) -> output or outputs`: adds nodes to a part of a graph."""

RULES: dict[str, Rule] = {}
CALLS: dict[Any, Rule] = {}
"""The rules for functions that graphs call as a whole: `(part, **arguments of the function)`."""
GRADIENTS: dict[Any, Rule] = {}
"""The rules for gradients of called functions: `(part, inputs, gradient)`."""


def rule(*names: str) -> Callable[[Rule], Rule]:
    """Declares the rule of operations.

    Args:
      *names: The primitives' names.
    """

    def enter(function: Rule) -> Rule:
        for name in names:
            RULES[name] = function
        return function

    return enter


def call_rule(*names: Any) -> Callable[[Rule], Rule]:
    """Declares the rule of called functions, by their operation names.

    Args:
      *names: The operations' names, or the functions themselves if several share a name.
    """

    def enter(function: Rule) -> Rule:
        for name in names:
            CALLS[inspect.unwrap(name) if callable(name) else name] = function
        return function

    return enter
