"""Hooks that log values, and write summaries and checkpoints."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gradtape._src.base.export import export
from gradtape._src.compat import logs
from gradtape._src.files.paths import local
from gradtape._src.files.serialized import write_graph
from gradtape._src.messages import protos
from gradtape._src.sessions.default_graph import get_default_graph
from gradtape._src.sessions.files.summaries import FileWriter, FileWriterCache
from gradtape._src.sessions.monitored.hooks import (
    SecondOrStepTimer,
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
    StepHook,
)
from gradtape._src.sessions.monitored.scaffold import default_saver


def _timer(steps: int | None, seconds: float | None, names: str) -> SecondOrStepTimer:
    if (steps is None) == (seconds is None):
        raise ValueError(f"exactly one of {names} should be provided.")
    return SecondOrStepTimer(seconds, steps)


@export("compat.v1.train.LoggingTensorHook")
class LoggingTensorHook(SessionRunHook):
    """Logs the values of tensors, at level INFO.

    Args:
      tensors: A dictionary from words to tensors or their names, or a list.
      every_n_iter: The number of runs between two messages.
      every_n_secs: The seconds between them.
      at_end: Whether there is a message at the end; it may be the only one.
      formatter: A function of a dictionary from the words to the values, which returns the message.

    Raises:
      ValueError: No moment is given, or both intervals are given.
    """

    def __init__(
        self,
        tensors: Any,
        every_n_iter: int | None = None,
        every_n_secs: float | None = None,
        at_end: bool = False,
        formatter: Callable[[dict[str, Any]], str] | None = None,
    ) -> None:
        only_at_end = at_end and every_n_iter is None and every_n_secs is None
        names = "every_n_iter and every_n_secs"
        self._timer = None if only_at_end else _timer(every_n_iter, every_n_secs, names)
        if not isinstance(tensors, dict):
            tensors = {item if isinstance(item, str) else item.name: item for item in tensors}
        self._tensors, self._at_end, self._formatter = tensors, at_end, formatter

    def begin(self) -> None:
        """Finds the tensors in the default graph."""
        graph: Any = get_default_graph()
        self._found = {
            word: graph.as_graph_element(item, allow_operation=False)
            for word, item in self._tensors.items()
        }
        self._runs, self._due = 0, False
        if self._timer is not None:
            self._timer.reset()

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        """Returns a request for the tensors if a message is due.

        Args:
          run_context: Information about the run.

        Returns:
          The request, or None.
        """
        self._due = self._timer is not None and self._timer.should_trigger_for_step(self._runs)
        return SessionRunArgs(self._found) if self._due else None

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Logs the values.

        Args:
          run_context: Information about the run.
          run_values: The values.
        """
        if self._due:
            self._log(run_values.results)
        self._runs += 1

    def end(self, session: Any) -> None:
        """Logs the last values.

        Args:
          session: The session.
        """
        if self._at_end:
            self._log(session.run(self._found))

    def _log(self, values: dict[str, Any]) -> None:
        elapsed = None
        if self._timer is not None:
            elapsed, _ = self._timer.update_last_triggered_step(self._runs)
        if self._formatter is not None:
            logs.info(self._formatter(values))
            return
        with np.printoptions(suppress=True):
            text = ", ".join([f"{word} = {value}" for word, value in values.items()])
        logs.info(text if elapsed is None else f"{text} ({elapsed:.3f} sec)")


@export("compat.v1.train.StepCounterHook")
class StepCounterHook(StepHook):
    """Writes the number of steps per second as a summary.

    Args:
      every_n_steps: The number of steps between two summaries.
      every_n_secs: The seconds between them.
      output_dir: The directory of the summaries.
      summary_writer: A writer in place of one for `output_dir`.
    """

    def __init__(
        self,
        every_n_steps: int | None = 100,
        every_n_secs: float | None = None,
        output_dir: Any = None,
        summary_writer: FileWriter | None = None,
    ) -> None:
        self._timer = _timer(every_n_steps, every_n_secs, "every_n_steps and every_n_secs")
        self._folder, self._writer = output_dir, summary_writer

    def begin(self) -> None:
        """Finds the global step and opens the writer."""
        super().begin()
        if self._writer is None and self._folder:
            self._writer = FileWriterCache.get(self._folder)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Writes a summary if one is due.

        Args:
          run_context: Information about the run.
          run_values: The global step.
        """
        if not self._timer.should_trigger_for_step(run_values.results + 1):
            return
        step = int(run_context.session.run(self._step))
        if not self._timer.should_trigger_for_step(step):
            return
        seconds, steps = self._timer.update_last_triggered_step(step)
        if seconds and steps is not None:
            tag = f"{self._step.name[:-2]}/sec"
            if self._writer is not None:
                value = protos.Summary.Value(tag=tag, simple_value=steps / seconds)
                self._writer.add_summary(protos.Summary(value=[value]), step)
            logs.info("%s: %g", tag, steps / seconds)


@export("compat.v1.train.SummarySaverHook")
class SummarySaverHook(StepHook):
    """Writes summaries.

    Args:
      save_steps: The number of steps between two summaries.
      save_secs: The seconds between them.
      output_dir: The directory of the summaries.
      summary_writer: A writer in place of one for `output_dir`.
      scaffold: A `Scaffold`, whose `summary_op` is used.
      summary_op: A summary, or a list of them.

    Raises:
      ValueError: Both a scaffold and a summary are given, or neither.
    """

    def __init__(
        self,
        save_steps: int | None = None,
        save_secs: float | None = None,
        output_dir: Any = None,
        summary_writer: FileWriter | None = None,
        scaffold: Any = None,
        summary_op: Any = None,
    ) -> None:
        if (scaffold is None) == (summary_op is None):
            raise ValueError("Exactly one of scaffold or summary_op must be provided.")
        self._timer = _timer(save_steps, save_secs, "save_steps and save_secs")
        self._folder, self._writer = output_dir, summary_writer
        self._scaffold, self._summary = scaffold, summary_op

    def begin(self) -> None:
        """Finds the global step and opens the writer."""
        super().begin()
        if self._writer is None and self._folder:
            self._writer = FileWriterCache.get(self._folder)
        self._next: int | None = None

    def _summaries(self) -> list[Any]:
        found = self._summary if self._scaffold is None else self._scaffold.summary_op
        if found is None:
            return []
        return list(found) if isinstance(found, (list, tuple)) else [found]

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Returns a request for the global step, and for the summaries if they are due.

        Args:
          run_context: Information about the run.

        Returns:
          The request.
        """
        self._due = self._next is None or self._timer.should_trigger_for_step(self._next)
        return SessionRunArgs((self._step, self._summaries() if self._due else []))

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Writes the summaries.

        Args:
          run_context: Information about the run.
          run_values: The global step and the summaries.
        """
        before, summaries = run_values.results
        step = int(run_context.session.run(self._step)) if self._due else int(before) + 1
        if self._due:
            self._timer.update_last_triggered_step(step)
            for summary in summaries if self._writer is not None else ():
                self._writer.add_summary(summary, step)  # type: ignore[union-attr]
        self._next = step + 1

    def end(self, session: Any) -> None:
        """Writes what is buffered.

        Args:
          session: The session.
        """
        if self._writer is not None:
            self._writer.flush()


@export("compat.v1.train.CheckpointSaverListener")
class CheckpointSaverListener:
    """The base class of objects that `CheckpointSaverHook` calls when it saves."""

    def begin(self) -> None:
        """Is called before the graph is finalized."""

    def before_save(self, session: Any, global_step_value: int) -> None:
        """Is called before a checkpoint is written.

        Args:
          session: The session.
          global_step_value: The global step.
        """

    def after_save(self, session: Any, global_step_value: int) -> bool | None:
        """Is called after a checkpoint was written.

        Args:
          session: The session.
          global_step_value: The global step.

        Returns:
          True if the session is to stop.
        """
        return None

    def end(self, session: Any, global_step_value: int) -> None:
        """Is called at the end.

        Args:
          session: The session.
          global_step_value: The global step.
        """


@export("compat.v1.train.CheckpointSaverHook")
class CheckpointSaverHook(StepHook):
    """Saves the variables at the beginning, from time to time, and at the end.

    Args:
      checkpoint_dir: The directory of the checkpoints.
      save_secs: The seconds between two checkpoints.
      save_steps: The number of steps between them.
      saver: The saver. Defaults to the first one in the collection of savers.
      checkpoint_basename: The name of the files, without the step.
      scaffold: A `Scaffold`, whose saver is used.
      listeners: Objects whose methods are called when something is saved.
      save_graph_def: Whether the graph is written, too.

    Raises:
      ValueError: Both a saver and a scaffold are given, or not exactly one interval.
    """

    def __init__(
        self,
        checkpoint_dir: Any,
        save_secs: float | None = None,
        save_steps: int | None = None,
        saver: Any = None,
        checkpoint_basename: str = "model.ckpt",
        scaffold: Any = None,
        listeners: Sequence[CheckpointSaverListener] | None = None,
        save_graph_def: bool = True,
    ) -> None:
        if saver is not None and scaffold is not None:
            raise ValueError("You cannot provide both saver and scaffold.")
        self._timer = _timer(save_steps, save_secs, "save_steps and save_secs")
        self._folder, self._saver, self._scaffold = local(checkpoint_dir), saver, scaffold
        self._path = str(Path(self._folder, checkpoint_basename))
        self._listeners = list(listeners or ())
        self._writes_graph = save_graph_def

    def begin(self) -> None:
        """Finds the global step."""
        super().begin()
        for listener in self._listeners:
            listener.begin()

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Saves the first checkpoint.

        Args:
          session: The session.
          coord: The coordinator.
        """
        if self._writes_graph:
            write_graph(session.graph, self._folder, "graph.pbtxt")
        self._save(session, int(session.run(self._step)))

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Saves a checkpoint if one is due.

        Args:
          run_context: Information about the run.
          run_values: The global step.
        """
        if self._timer.should_trigger_for_step(int(run_values.results) + 1):
            step = int(run_context.session.run(self._step))
            if self._timer.should_trigger_for_step(step) and self._save(run_context.session, step):
                run_context.request_stop()

    def end(self, session: Any) -> None:
        """Saves the last checkpoint.

        Args:
          session: The session.
        """
        step = int(session.run(self._step))
        if step != self._timer.last_triggered_step():
            self._save(session, step)
        for listener in self._listeners:
            listener.end(session, step)

    def _save(self, session: Any, step: int) -> bool:
        """Saves a checkpoint; returns whether a listener asks the session to stop."""
        self._timer.update_last_triggered_step(step)
        for listener in self._listeners:
            listener.before_save(session, step)
        saver = self._saver if self._scaffold is None else self._scaffold.saver
        saver = saver or default_saver()
        saver.save(session, self._path, step, write_meta_graph=self._writes_graph)
        answers = [listener.after_save(session, step) for listener in self._listeners]
        return any(answers)
