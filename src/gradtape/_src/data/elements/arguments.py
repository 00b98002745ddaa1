"""Checks of the arguments of a dataset's methods."""

from __future__ import annotations

from typing import Any

from gradtape._src.base.dtypes import int64
from gradtape._src.base.errors import InvalidArgumentError
from gradtape._src.core.convert import convert_to_tensor


def integer(value: Any) -> int:
    """A whole number; TypeError for anything else."""
    return int(convert_to_tensor(value, int64)._value)


def positive(value: Any, what: str) -> int:
    """A positive whole number; InvalidArgumentError for others."""
    number = integer(value)
    if number < 1:
        raise InvalidArgumentError(None, None, f"{what} must be greater than zero.")
    return number


def check_function(function: object) -> None:
    """Raise ValueError for what is not a function."""
    if not callable(function):
        raise ValueError(
            f"Argument `func` must be a callable. Received func={function} (of type "
            f"{type(function)})"
        )
