"""Extension points for replicas, for compiled programs that run on several devices.

The later room `distribute` raises these exceptions and registers its functions here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradtape._src.base.process_settings import in_child
from gradtape._src.compute.devices import jax_runs


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


def never() -> bool:
    """Returns False, as no replica runs before `tf.distribute` is used."""
    return False


eager_in_replica: list[Callable[[], bool]] = [never]
"""Functions that return whether an eager replica is running; the last one is used."""

CACHE_MISS: Any = object()
"""The result of a fast path whose compiled function does not fit the call."""


def _after_fork() -> None:
    if jax_runs():
        eager_in_replica.append(_no_threads)  # checked before each compiled call


def _no_threads() -> bool:
    raise RuntimeError(
        "a compiled function was called in a process that was forked after JAX had started: the "
        "child process lacks JAX's threads, so that the call would hang. Start processes with "
        'multiprocessing.get_context("spawn"), or fork before the first compiled call. Operations '
        "that are not compiled do run here."
    )


in_child(_after_fork)
