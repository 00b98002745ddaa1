"""The warning about functions that are traced at nearly every call."""

from __future__ import annotations

import logging
import weakref
from collections import deque
from types import CodeType
from typing import Any

_log = logging.getLogger("tensorflow")
_OFTEN = 5  # traces among the last calls
_LAST = 10  # calls, before the last trace
_WARNINGS = 2  # for a function


class Retracing:
    """Counts how often a function is traced, and by how many calls.

    Functions that a program makes of the same code, in a loop perhaps, are counted together.
    """

    def __init__(self) -> None:
        self._calls: deque[int] = deque()  # for each of the last traces, the calls that it served
        self._warnings = 0

    def traced(self, name: str, calls_before: int, quiet: bool, why: str) -> None:
        """Notes a trace; warns if there were many for few calls.

        Args:
          name: The function's.
          calls_before: How many calls the trace before it served, besides the one it was made for.
          quiet: Whether not to warn.
          why: What changed.
        """
        if self._calls:
            self._calls[-1] += calls_before
        self._calls.append(1)
        while sum(self._calls) - self._calls[0] > _LAST:
            self._calls.popleft()
        if quiet or self._warnings >= _WARNINGS or len(self._calls) < _OFTEN:
            return
        self._warnings += 1
        _log.warning(
            "%d out of the last %d calls to %s triggered tf.function retracing: the last one "
            "because %s. Each time costs far more than a call. Pass Python values that change as "
            "tensors, give tensors one shape or set reduce_retracing=True, and define the function "
            "outside loops. fn.explain() tells of every time.",
            len(self._calls),
            sum(self._calls),
            name,
            why or "nothing was known before",
        )


_found: weakref.WeakKeyDictionary[CodeType, Retracing] = weakref.WeakKeyDictionary()


def retracing_of(function: Any) -> Retracing:
    """The counter of a function's code."""
    code = getattr(function, "__code__", None)
    return Retracing() if code is None else _found.setdefault(code, Retracing())
