"""The running profile, of which there is at most one: its start, its end and its results."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any, Self

from gradtape._src.autodiff.tape import GradientTape
from gradtape._src.base.errors import AlreadyExistsError
from gradtape._src.profiling.collector import Collector, Section, now
from gradtape._src.profiling.hooks import Hooks, line_now
from gradtape._src.profiling.python_lines import Samples
from gradtape._src.profiling.report import Report

_lock = threading.Lock()
_running: list[Recording] = []


def running() -> Recording | None:
    """Returns the profile that runs, if one does."""
    return _running[-1] if _running else None


class Recording:
    """A profile that runs from now on until `stop`, or the end of a `with` block.

    Args:
      tape: The profile ends, too, when this tape gives a gradient, unless it is persistent.

    Attributes:
      began: When it began, in nanoseconds since 1970.

    Raises:
      AlreadyExistsError: Another profile runs.
    """

    def __init__(self, tape: GradientTape | None = None) -> None:
        with _lock:
            if _running:
                raise AlreadyExistsError(
                    None,
                    None,
                    "Another profiler is running. (Stop it first: there is one at a time.)",
                )
            self.began = time.time_ns()
            self._report: Report | None = None
            self._collector = Collector()
            self._hooks = Hooks(self._collector)
            if tape is not None and not tape._persistent:
                self._hooks.after_gradient.append(lambda other: self._end_of(tape, other))
            self._hooks.install()
            self._samples = Samples(self._collector.running())
            self._collector.lines = self._samples.counts
            _running.append(self)

    def _end_of(self, tape: GradientTape, other: GradientTape) -> None:
        if other is tape:
            self.stop()

    def stop(self) -> Report:
        """Ends the profile; a second call changes nothing.

        Returns:
          What it found.
        """
        with _lock:
            if self in _running:
                self._collector.finish()
                self._hooks.remove()
                self._samples.stop()
                _running.remove(self)
        return self.report

    @property
    def report(self) -> Report:
        """The report of what was found so far."""
        if self._report is None:
            report = Report(self._collector)
            if self._collector.ended is None:
                return report
            self._report = report
        return self._report

    def enter(self, name: str) -> Section:
        """Begins a section that the program names."""
        return self._collector.enter(name, "step", lambda: (line_now(), ""), now())

    def leave(self, section: Section, facts: dict[str, Any]) -> None:
        """Ends a section that the program named, of which it says some facts."""
        self._collector.leave(section, None, facts)

    def save(self, path: Any) -> None:
        """Writes what was found so far; see `Report.save`."""
        self.report.save(path)

    def write(self, logdir: str) -> Path:
        """Writes what was found so far for TensorBoard; returns the directory of the profile."""
        from gradtape._src.profiling.tensorboard_files import write

        return write(self.report, logdir, self.began)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()

    def __str__(self) -> str:
        return str(self.report)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self.report._repr_html_()
