"""An operation at which a graph waits, so that another thread can try to run meanwhile."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any

PATIENCE = 60


class Gate:
    """A stream for `tf.print` that lets its first writer wait until it is opened.

    Args:
      monkeypatch: Makes it the stream of errors until the test ends.
    """

    def __init__(self, monkeypatch: Any) -> None:
        self.writers, self._open = 0, threading.Event()
        self.entered, self.crowded = threading.Event(), threading.Event()
        monkeypatch.setattr(sys, "stderr", self)

    def write(self, text: str) -> int:
        """Counts a writer; the first one waits."""
        if text.startswith("gate"):
            self.writers += 1
            if self.writers > 1:
                self.crowded.set()
            else:
                self.entered.set()
                assert self._open.wait(PATIENCE)
        return len(text)

    def flush(self) -> None:
        """Does nothing."""

    def check_alone(self, call: Callable[[], Any]) -> None:
        """Checks that no second call reaches the gate while a first one waits there."""
        threads = [threading.Thread(target=call, daemon=True) for _ in range(2)]
        threads[0].start()
        assert self.entered.wait(PATIENCE)
        threads[1].start()
        together = self.crowded.wait(0.3)
        self._open.set()
        for thread in threads:
            thread.join(PATIENCE)
        assert not together
        assert self.writers == 2
