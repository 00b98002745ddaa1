"""Extension points for replicas, for compiled programs that run on several devices.

The later room `distribute` raises these exceptions and registers its functions here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class NeedsSharding(BaseException):
    """Ends a compilation, which starts again for all devices of a strategy.

    Attributes:
      sharding: The object that runs a program on all devices, each with its part of the values.
    """

    def __init__(self, sharding: Any) -> None:
        super().__init__()
        self.sharding = sharding


class ShapesDiffer(Exception):  # noqa: N818 (no error: the function then runs as Python)
    """Replicas have values of different shapes, so that they can't share a program."""


class SplitPlaceholder:
    """Represents a value with a part for each replica in a template of arguments.

    Args:
      fill: Makes such a value from the tensor of one replica's part.
    """

    def __init__(self, fill: Callable[[Any], Any]) -> None:
        self.fill = fill


def never() -> bool:
    """Returns False, as no replica runs before `tf.distribute` is used."""
    return False


eager_in_replica: list[Callable[[], bool]] = [never]
"""Functions that return whether an eager replica is running; the last one is used."""

CACHE_MISS: Any = object()
"""The result of a fast path whose compiled function does not fit the call."""
