"""The behavior of variables in programs that run on several devices."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any, TypeVar

from gradtape._src.base.export import export


@export("VariableSynchronization")
class VariableSynchronization(enum.Enum):
    """The times at which replicas synchronize a variable."""

    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


@export("VariableAggregation")
class VariableAggregation(enum.Enum):
    """The ways to combine the replicas' updates of a variable."""

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3


_Mode = TypeVar("_Mode", VariableSynchronization, VariableAggregation)


def mode_of(kind: type[_Mode], given: Any, name: str | None) -> _Mode:
    """Converts an argument to a member of an enumeration; None gives the first one."""
    if isinstance(given, kind):
        return given
    try:
        return kind(given or 0)
    except ValueError:
        word = kind.__name__.removeprefix("Variable").lower()
        raise ValueError(
            f"Invalid variable {word} mode: {given} for variable: {name} (give a member of "
            f"tf.{kind.__name__})"
        ) from None


def _one(caller: str) -> int:
    return 1


replicas: list[Callable[[str], int]] = [_one]
"""Functions that return the number of replicas. Strategies append theirs, and the last one is
used."""


def _first() -> int:
    return 0


here: list[Callable[[], int]] = [_first]
"""Functions that return the index of the current replica; the last one is used."""
