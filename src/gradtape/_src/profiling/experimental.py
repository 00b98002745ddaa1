"""`tf.profiler.experimental`: profiles of programs, for TensorBoard and as HTML pages."""

from __future__ import annotations

import os
import threading
from typing import Any, NamedTuple, Self

from gradtape._src.autodiff.tape_tools import RunningProfile, profiler
from gradtape._src.base.errors import UnavailableError
from gradtape._src.base.export import export

_lock = threading.RLock()
_started: list[tuple[RunningProfile, str]] = []


@export("profiler.experimental.ProfilerOptions")
class ProfilerOptions(NamedTuple):
    """Options of TensorFlow's profiler, which have no effect: a profile always contains everything.

    Attributes:
      host_tracer_level: Accepted for compatibility.
      python_tracer_level: Accepted for compatibility.
      device_tracer_level: Accepted for compatibility.
      delay_ms: Accepted for compatibility.
    """

    host_tracer_level: int = 2
    python_tracer_level: int = 0
    device_tracer_level: int = 1
    delay_ms: int | None = None


@export("profiler.experimental.start")
def start(logdir: str | os.PathLike[str], options: Any = None) -> None:
    """Starts a profile of this thread, which `stop` ends.

    Args:
      logdir: The directory below which `stop` writes the profile, and that TensorBoard reads.
      options: Accepted for compatibility.

    Raises:
      AlreadyExistsError: Another profile is running.
      TypeError: `logdir` is not a path.

    >>> import tempfile
    >>> tf.profiler.experimental.start(tempfile.mkdtemp())
    >>> y = tf.matmul(tf.ones((2, 2)), tf.ones((2, 2)))
    >>> tf.profiler.experimental.stop(save=False)
    """
    folder = os.fspath(logdir)
    with _lock:
        recording = profiler.get().start()
        _started.append((recording, os.fsdecode(folder)))


@export("profiler.experimental.stop")
def stop(save: bool = True) -> None:
    """Stops the profile that `start` began, and writes it.

    A directory below `plugins/profile`, named after the time, gets the file that TensorBoard's
    profiler reads, `profile.html` (a page with pictures), `profile.json` (a trace for Perfetto and
    Chrome) and `profile.txt` (tables).

    Args:
      save: Whether to write the profile.

    Raises:
      UnavailableError: No profile is running.
      OpError: The files can't be written.
    """
    with _lock:
        if not _started:
            raise UnavailableError(
                None,
                None,
                "Cannot export profiling results. No profiler is running. (Call "
                "tf.profiler.experimental.start first.)",
            )
        recording, logdir = _started.pop()
    recording.stop()
    if save:
        recording.write(logdir)


@export("profiler.experimental.Profile")
class Profile:
    """Profiles a `with` block, and writes the profile at its end as `stop` does.

    Args:
      logdir: The directory below which the profile is written.
      options: Accepted for compatibility.

    Attributes:
      report: The result, after the block. It prints as tables, and its `save` writes a file.

    >>> import tempfile
    >>> with tf.profiler.experimental.Profile(tempfile.mkdtemp()) as profile:
    ...     y = tf.matmul(tf.ones((2, 2)), tf.ones((2, 2)))
    >>> [row.name for row in profile.report.operations if row.name == "MatMul"]
    ['MatMul']
    """

    def __init__(self, logdir: str | os.PathLike[str], options: Any = None) -> None:
        self._logdir, self._options = logdir, options
        self.report: Any = None

    def __enter__(self) -> Self:
        start(self._logdir, self._options)
        return self

    def __exit__(self, *error: object) -> None:
        recording = _started[-1][0] if _started else None
        stop()
        self.report = None if recording is None else recording.report


@export("profiler.experimental.Trace")
class Trace:
    """Names a `with` block in profiles, for example a training step.

    Args:
      name: The name.
      **kwargs: Facts such as `step_num`, which traces show with the name.

    Raises:
      TypeError: `name` is not text.

    >>> with tf.profiler.experimental.Trace("train", step_num=3):
    ...     y = tf.square(2.0)
    """

    def __init__(self, name: str, **kwargs: Any) -> None:
        if not isinstance(name, str):
            raise TypeError(f"Trace: `name` must be a string, got {name!r}")
        self._name = name
        self._section: Any = None
        self._recording: Any = None
        self._facts: dict[str, Any] = kwargs

    def __enter__(self) -> Self:
        from gradtape._src.profiling.recording import running

        self._recording = recording = running()
        self._section = None if recording is None else recording.enter(self._name)
        return self

    def set_metadata(self, **kwargs: Any) -> None:
        """Adds facts to the block.

        Args:
          **kwargs: The facts.
        """
        self._facts.update(kwargs)

    def __exit__(self, *error: object) -> None:
        if self._section is not None:
            self._recording.leave(self._section, self._facts)
