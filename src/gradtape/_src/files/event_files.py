"""Event files, which TensorBoard reads, and their writers."""

from __future__ import annotations

import itertools
import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import bool_, int64
from gradtape._src.base.export import export
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.declare.eager_only import refuse_under_jit
from gradtape._src.files import gfile
from gradtape._src.files.damaged_input import reading
from gradtape._src.files.paths import local
from gradtape._src.files.records import TFRecordWriter, records
from gradtape._src.messages import protos
from gradtape._src.messages.reading import parsed

_numbers = itertools.count()
_writer: ContextVar[SummaryWriter | None] = ContextVar("writer", default=None)
_step: ContextVar[Tensor | Variable | int | None] = ContextVar("step", default=None)
_condition: ContextVar[Any] = ContextVar("condition", default=True)


@export("summary.SummaryWriter")
class SummaryWriter:
    """Writes summaries; `create_file_writer` makes one."""

    def write_event(self, event: protos.Event) -> None:
        """Writes an event.

        Args:
          event: The event, a message.
        """
        raise NotImplementedError(f"{type(self).__name__} does not implement write_event")

    def init(self) -> None:
        """Does nothing, since a writer is ready when it is made."""

    def flush(self) -> None:
        """Flushes the written events to the file."""

    def close(self) -> None:
        """Flushes and closes the file."""

    def _check_open(self) -> None:
        """Raises RuntimeError if the writer is closed."""

    @contextmanager
    def as_default(self, step: Any = None) -> Iterator[SummaryWriter]:
        """Makes this writer the default one within a block.

        Args:
          step: The default step of summaries.

        Returns:
          A context manager.

        Raises:
          RuntimeError: The writer is closed.
        """
        self._check_open()
        before = _writer.set(self)
        step_before = None if step is None else _step.set(_checked_step(step))
        try:
            yield self
            self.flush()
        finally:
            if step_before is not None:
                _step.reset(step_before)
            _writer.reset(before)

    def set_as_default(self, step: Any = None) -> None:
        """Makes this writer the default one from now on; see `as_default`.

        Args:
          step: The default step of summaries.
        """
        self._check_open()
        _writer.set(self)
        if step is not None:
            _step.set(_checked_step(step))


class FileWriter(SummaryWriter):
    """Writes to a new file in a directory.

    Args:
      logdir: The directory, which is made if it does not exist.
      max_queue: The maximum number of buffered summaries.
      flush_millis: The maximum time in milliseconds for which summaries are buffered.
      filename_suffix: The end of the file's name.
    """

    def __init__(
        self, logdir: str, max_queue: int, flush_millis: int, filename_suffix: str
    ) -> None:
        gfile.makedirs(logdir)
        now = time.time()
        host, number = socket.gethostname(), next(_numbers)
        name = f"events.out.tfevents.{int(now):010d}.{host}.{os.getpid()}.{number}"
        self._max_queue, self._seconds = max_queue, flush_millis / 1000
        self._lock = threading.Lock()
        self._waiting, self._flushed = 0, now
        self._records: TFRecordWriter | None = TFRecordWriter(
            gfile.join(logdir, name + filename_suffix)
        )
        self.write_event(
            protos.Event(
                wall_time=float(int(now)),
                file_version="brain.Event:2",
                source_metadata=protos.SourceMetadata(writer="gradtape"),
            )
        )
        self.flush()

    def _check_open(self) -> None:
        if self._records is None:
            raise RuntimeError(f"SummaryWriter {self!r} is already closed")

    def write_event(self, event: protos.Event) -> None:
        """Writes an event."""
        data = event.SerializeToString()
        with self._lock:
            self._check_open()
            assert self._records is not None
            self._records.write(data)
            self._waiting += 1
            late = time.time() - self._flushed > self._seconds
        if late or self._waiting > self._max_queue:
            self.flush()

    def flush(self) -> None:
        """Flushes the written events to the file."""
        with self._lock:
            if self._records is not None:
                self._records.flush()
                self._waiting, self._flushed = 0, time.time()

    def close(self) -> None:
        """Closes the file."""
        with self._lock:
            if self._records is not None:
                self._records.close()
                self._records = None


class _NoWriter(SummaryWriter):
    """A writer that writes nothing."""

    def write_event(self, event: protos.Event) -> None:
        """Does nothing, since nothing is written."""

    def flush(self) -> None:
        """Does nothing, since nothing is written."""

    def close(self) -> None:
        """Does nothing, since nothing is written."""


@export("summary.create_file_writer")
def create_file_writer(
    logdir: Any,
    max_queue: int | None = None,
    flush_millis: int | None = None,
    filename_suffix: str | None = None,
    name: str | None = None,
    experimental_trackable: bool = False,
    experimental_mesh: Any = None,
) -> SummaryWriter:
    """Makes a writer of summaries to a new file.

    Args:
      logdir: The directory for the file, which is made if it does not exist.
      max_queue: The maximum number of buffered summaries. Defaults to 10.
      flush_millis: The maximum time for which summaries are buffered, in milliseconds. Defaults to
        two minutes.
      filename_suffix: The end of the file's name. Defaults to ".v2".
      name: Accepted for compatibility.
      experimental_trackable: Accepted for compatibility.
      experimental_mesh: Accepted for compatibility.

    Returns:
      The writer; use it as `with writer.as_default():`.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as logs:
    ...     writer = tf.summary.create_file_writer(logs)
    ...     with writer.as_default():
    ...         written = tf.summary.scalar("loss", 0.5, step=1)
    ...     writer.close()
    >>> bool(written)
    True
    """
    return FileWriter(
        local(logdir),
        10 if max_queue is None else int(max_queue),
        120_000 if flush_millis is None else int(flush_millis),
        ".v2" if filename_suffix is None else filename_suffix,
    )


@export("summary.create_noop_writer")
def create_noop_writer() -> SummaryWriter:
    """Makes a writer that writes nothing.

    Returns:
      The writer.
    """
    return _NoWriter()


@export("summary.flush")
def flush(writer: SummaryWriter | None = None, name: str | None = None) -> None:
    """Flushes a writer.

    Args:
      writer: The writer. Defaults to the default writer.
      name: Accepted for compatibility.
    """
    chosen = _writer.get() if writer is None else writer
    if chosen is not None:
        chosen.flush()


@export("summary.record_if")
@contextmanager
def record_if(condition: Any) -> Iterator[None]:
    """Records summaries in a block only if a condition is true.

    Args:
      condition: A truth value, or a function that returns one and is called for each summary.

    Returns:
      A context manager.
    """
    before = _condition.set(condition)
    try:
        yield
    finally:
        _condition.reset(before)


@export("summary.should_record_summaries")
def should_record_summaries() -> Tensor:
    """Returns whether summaries are recorded: there is a default writer, and the condition holds.

    Returns:
      A bool scalar.
    """
    return Tensor(np.bool_(recording() is not None))


def recorder() -> tuple[SummaryWriter | None, Tensor]:
    """Returns the default writer, or None, and whether summaries are recorded."""
    writer = _writer.get()
    if writer is None or isinstance(writer, _NoWriter):
        return None, Tensor(np.bool_(False))
    condition = _condition.get()
    return writer, convert_to_tensor(condition() if callable(condition) else condition, bool_)


def recording() -> SummaryWriter | None:
    """Returns the default writer if summaries are recorded, else None."""
    writer, wanted = recorder()
    if writer is None or not bool(wanted._value):
        return None
    refuse_under_jit("tf.summary")
    return writer


def _checked_step(step: Any) -> Tensor | Variable | int:
    return step if isinstance(step, (Variable, Tensor)) else int(step)


@export("summary.experimental.set_step")
def set_step(step: Any) -> None:
    """Sets the default step of summaries.

    Args:
      step: A number, tensor or variable, or None.
    """
    _step.set(None if step is None else _checked_step(step))


@export("summary.experimental.get_step")
def get_step() -> Tensor | Variable | int | None:
    """Returns the default step of summaries.

    Returns:
      A number, tensor or variable, or None.
    """
    return _step.get()


def step_number(step: Any) -> int:
    """Returns the step of a summary.

    Raises:
      ValueError: There is no step, or it is a tensor of another type than int64.
    """
    return int(convert_to_tensor(chosen_step(step), int64)._value)


def chosen_step(step: Any) -> Tensor | Variable | int:
    """Returns a step; None stands for the default step.

    Raises:
      ValueError: There is no step.
    """
    chosen: Tensor | Variable | int | None = _step.get() if step is None else step
    if chosen is None:
        raise ValueError(
            "No step set. Please specify one either through the `step` argument or through "
            "tf.summary.experimental.set_step()"
        )
    return chosen


def put(writer: SummaryWriter, summary: protos.Summary, step: int) -> None:
    """Writes a summary."""
    writer.write_event(protos.Event(wall_time=time.time(), step=step, summary=summary))


@export("compat.v1.train.summary_iterator")
def summary_iterator(path: Any) -> Iterator[protos.Event]:
    """Returns an iterator that reads the events of a file one by one.

    Args:
      path: The file.

    Returns:
      An iterator over messages.

    Raises:
      DataLossError: The file is damaged or cut short; raised when the iterator reaches that place.
    """
    return _events(path)


def _events(path: Any) -> Iterator[protos.Event]:
    for place, record in enumerate(records(path)):
        with reading(f"Event {place} of {local(path)}"):
            event = parsed(protos.Event, record)
        yield event
