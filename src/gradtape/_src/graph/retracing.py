"""The warning about functions that are traced at nearly every call."""

from __future__ import annotations

import logging
import weakref
from collections import deque
from types import CodeType
from typing import Any

_log = logging.getLogger("tensorflow")
_OFTEN = 5  # the number of traces from which to warn ...
_LAST = 10  # ... among this number of calls before the last trace
_WARNINGS = 2  # the maximum number of warnings per function


class Retracing:
    """Counts the traces of a function, and the calls.

    Functions with the same code, made in a loop for example, are counted together.
    """

    def __init__(self) -> None:
        self._calls: deque[int] = deque()  # the number of calls of each of the last traces
        self._warnings = 0

    def traced(self, name: str, calls_before: int, quiet: bool, why: str) -> None:
        """Records a trace; warns if there were many for few calls.

        Args:
          name: The function's name.
          calls_before: The number of calls that used the previous trace, without its first call.
          quiet: Whether to suppress the warning.
          why: The differences between the calls.
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
            "because %s. Tracing costs far more than a call. Pass Python values that change as "
            "tensors, give tensors one shape or set reduce_retracing=True, and define the function "
            "outside loops. fn.explain() lists all traces.",
            len(self._calls),
            sum(self._calls),
            name,
            why or "the function was created again",
        )


_found: weakref.WeakKeyDictionary[CodeType, Retracing] = weakref.WeakKeyDictionary()


def retracing_of(function: Any) -> Retracing:
    """Returns the counter of a function's code.

    The functions that gradtape makes share their code, but each runs a different one of the
    program's or of a model's: they count apart.
    """
    code = getattr(function, "__code__", None)
    if code is None or (function.__module__ or "").startswith("gradtape."):
        return Retracing()
    return _found.setdefault(code, Retracing())
