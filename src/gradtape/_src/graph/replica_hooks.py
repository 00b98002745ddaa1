"""The points at which compiling knows of replicas, for programs that run on several devices.

`_distribute` stands on a later floor; it raises these and puts its functions here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class NeedsSharding(BaseException):
    """Ends a compilation that turned out to be for all devices of a strategy; it begins again so.

    Attributes:
      sharding: What runs a program on all devices, each with its part.
    """

    def __init__(self, sharding: Any) -> None:
        super().__init__()
        self.sharding = sharding


class ShapesDiffer(Exception):  # noqa: N818 (no error: the function then runs as Python)
    """Replicas have values of different shapes, so that no one program can be theirs."""


class SplitPlaceholder:
    """Stands in a template of arguments for a value with a part for each replica.

    Args:
      fill: Makes such a value of the tensor of one replica's part.
    """

    def __init__(self, fill: Callable[[Any], Any]) -> None:
        self.fill = fill


def never() -> bool:
    """Returns False, as no replica runs before `tf.distribute` is used."""
    return False


eager_in_replica: list[Callable[[], bool]] = [never]
"""Last, whether a replica runs by itself, in which nothing is compiled."""

CACHE_MISS: Any = object()
"""The answer of a short path to a compiled function that is not made for the call."""
