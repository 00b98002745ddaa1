"""Arguments that have an old and a new name."""

from __future__ import annotations

from typing import Any, TypeVar

T = TypeVar("T")


def either(new: T, old: T, name: str, old_name: str) -> T:
    """Returns the value of an argument that has two names.

    Raises:
      ValueError: The argument is given under both names.
    """
    if old is None:
        return new
    if new is not None:
        raise ValueError(f"Cannot specify both '{old_name}' and '{name}'.")
    return old


def reduced_over(
    axis: Any, old_axis: Any, keepdims: Any, keep_dims: Any, old_name: str = "reduction_indices"
) -> tuple[Any, bool]:
    """Returns the axes of a reduction, and whether they are kept; both have two names.

    Raises:
      ValueError: An argument is given under both of its names.
    """
    kept = either(keepdims, keep_dims, "keepdims", "keep_dims")
    return either(axis, old_axis, "axis", old_name), bool(kept)
