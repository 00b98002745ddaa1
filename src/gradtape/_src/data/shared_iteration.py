"""An iterator that several threads may share."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator
from typing import Any


class Turns(Iterator[Any]):
    """Gives each element to only one thread, and signals the end to every thread.

    Threads wait while another thread's element is computed. If the function that computes elements
    requests an element itself, it gets an error, as from any generator.

    Args:
      produce: A function that starts an iteration.

    Attributes:
      given: The number of elements returned so far.
    """

    __slots__ = ("_elements", "_lock", "_produce", "given")

    def __init__(self, produce: Callable[[], Iterator[Any]]) -> None:
        self._produce = produce
        self._lock = threading.RLock()
        self._elements = produce()
        self.given = 0

    def __next__(self) -> Any:
        with self._lock:
            element = next(self._elements)
            self.given += 1
        return element

    def give_back(self, element: Any) -> None:
        """Puts an element back, as the next one."""
        with self._lock:
            self._elements = itertools.chain((element,), self._elements)
            self.given -= 1

    def go_to(self, place: int) -> None:
        """Skips elements until as many as requested have been returned, or to the end."""
        with self._lock:
            if place < self.given:
                self._elements, self.given = self._produce(), 0
            for _ in zip(range(place - self.given), self._elements, strict=False):
                pass
            self.given = place
