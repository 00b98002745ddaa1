"""The rules that say what operations of a graph become, by the name of their primitive."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Rule = Callable[..., Any]
"""`(part, *inputs, **parameters) -> output or outputs`: adds nodes to a part of a graph."""

RULES: dict[str, Rule] = {}
CALLS: dict[str, Rule] = {}
"""Of functions that graphs call whole; `(part, **arguments of the function)`."""


def rule(*names: str) -> Callable[[Rule], Rule]:
    """Declares what operations become.

    Args:
      *names: The primitives' names.
    """

    def enter(function: Rule) -> Rule:
        for name in names:
            RULES[name] = function
        return function

    return enter


def call_rule(*names: str) -> Callable[[Rule], Rule]:
    """Declares what calls of functions become, by the name that they have as operations."""

    def enter(function: Rule) -> Rule:
        for name in names:
            CALLS[name] = function
        return function

    return enter
