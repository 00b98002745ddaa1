"""Clocks for tests, whose results must not depend on how busy the machine is."""

import sys
import time

processor_time = time.perf_counter if sys.platform == "win32" else time.thread_time
"""The seconds for which this thread has run; that clock of Windows ticks too rarely."""


class Clock:
    """Stands for the module `time`; what the test adds to it passes at once."""

    sleep = staticmethod(time.sleep)

    def __init__(self):
        self.ahead = 0.0

    def monotonic(self):
        return time.monotonic() + self.ahead

    def passes(self, seconds):
        self.ahead += seconds

    def of(self, monkeypatch, *modules):
        """Becomes the clock of modules, for the time of a test."""
        for module in modules:
            monkeypatch.setattr(module, "time", self)
        return self
