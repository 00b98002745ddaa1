"""Checks of the arguments of a dataset's methods."""

from __future__ import annotations

from typing import Any

from gradtape._src.base.dtypes import int64
from gradtape._src.base.errors import InvalidArgumentError
from gradtape._src.core.convert import convert_to_tensor


def integer(value: Any) -> int:
    """Returns an integer argument; raises TypeError for other values."""
    return int(convert_to_tensor(value, int64)._value)


def positive(value: Any, what: str) -> int:
    """Returns a positive integer argument; raises InvalidArgumentError for other numbers."""
    number = integer(value)
    if number < 1:
        raise InvalidArgumentError(None, None, f"{what} must be greater than zero.")
    return number


def batch_sizes(value: Any) -> list[int]:
    """Returns batch sizes, which must be non-negative integers and not all zero."""
    given = convert_to_tensor(value, int64)._value
    if given.ndim > 1:
        raise ValueError(
            "Invalid `batch_sizes`. Expected `batch_sizes` to be a scalar or a vector. Received "
            f"`batch_sizes` of rank {given.ndim}."
        )
    sizes: list[int] = given.reshape(-1).tolist()
    if min(sizes, default=0) < 0 or max(sizes, default=0) < 1:
        raise InvalidArgumentError(
            None, None, f"Batch sizes must not be negative, and not all zero, got {sizes}."
        )
    return sizes


def check_function(function: object) -> None:
    """Raise ValueError unless the argument is callable."""
    if not callable(function):
        raise ValueError(
            f"Argument `func` must be a callable. Received func={function} (of type "
            f"{type(function)})"
        )
