"""Starts and ends the profile, and writes its results; at most one profile runs."""

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
    """Returns the running profile, or None."""
    return _running[-1] if _running else None


class Recording:
    """A profile that starts when it is made, and ends by `stop` or with a `with` block.

    Args:
      tape: A tape; unless it is persistent, the profile also ends after its gradient.

    Attributes:
      began: The time of its beginning, in nanoseconds since 1970.

    Raises:
      AlreadyExistsError: Another profile is running.
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
          The report of the profile.
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
        """The report of the profile until now."""
        if self._report is None:
            report = Report(self._collector)
            if self._collector.ended is None:
                return report
            self._report = report
        return self._report

    def enter(self, name: str) -> Section:
        """Begins a section with a name from the program."""
        return self._collector.enter(name, "step", lambda: (line_now(), ""), now())

    def leave(self, section: Section, facts: dict[str, Any]) -> None:
        """Ends a section from the program, and stores the program's facts about it."""
        self._collector.leave(section, None, facts)

    def save(self, path: Any) -> None:
        """Writes the profile until now to a file; see `Report.save`."""
        self.report.save(path)

    def write(self, logdir: str) -> Path:
        """Writes the profile until now for TensorBoard; returns the directory of the profile."""
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
