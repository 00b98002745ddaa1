"""Estimates the time of the program's lines outside of operations, from samples.

Every few milliseconds, a second thread records which line the profiled thread is running. Timing
each line would slow the program down many times over.
"""

from __future__ import annotations

import os
import sys
import threading
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from types import FrameType

from gradtape._src.inspect.source_lines import internal
from gradtape._src.profiling.collector import PYTHON_KINDS, Line, Section

_INTERVAL = 0.004  # seconds; Python switches threads after 0.005
_INSTALLED = tuple(f"{os.sep}{name}{os.sep}" for name in ("site-packages", "dist-packages"))


class Samples:
    """Samples of the lines that a thread runs outside of operations.

    Args:
      running: The running sections of the calling thread, which is sampled.

    Attributes:
      counts: The number of samples of each line.
    """

    def __init__(self, running: Sequence[Section]) -> None:
        self.counts: Counter[Line] = Counter()
        self._running = running
        self._sampled = threading.get_ident()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._sample, name="profiler", daemon=True)
        try:
            self._thread.start()
        except RuntimeError:  # a platform without threads
            self._ended.set()

    def stop(self) -> None:
        """Ends the sampling."""
        if not self._ended.is_set():
            self._ended.set()
            self._thread.join()

    def _sample(self) -> None:
        while not self._ended.wait(_INTERVAL):
            inside = self._running[-1:]
            if inside and inside[0].kind not in PYTHON_KINDS:
                continue
            line = line_of(sys._current_frames().get(self._sampled))
            if line is not None:
                self.counts[line] += 1


def line_of(frame: FrameType | None) -> Line | None:
    """Returns the program's line in a frame, or in the nearest caller that has one."""
    while frame is not None and _of_library(frame.f_code.co_filename):
        frame = frame.f_back
    return (
        None if frame is None else (frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name)
    )


@lru_cache(4096)
def _of_library(file: str) -> bool:
    return file == "<string>" or internal(file) or any(folder in file for folder in _INSTALLED)
