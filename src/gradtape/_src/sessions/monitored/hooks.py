"""`tf.compat.v1.train.SessionRunHook` and the hooks that control a session."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gradtape._src.base.export import export
from gradtape._src.compat import logs
from gradtape._src.compat.v1_decay import get_or_create_global_step

if TYPE_CHECKING:
    from gradtape._src.sessions.session import Session


@export("compat.v1.train.SessionRunArgs")
class SessionRunArgs(NamedTuple):
    """The request of a hook for a run of a session.

    Attributes:
      fetches: A tensor, operation or name, or a structure of these.
      feed_dict: The values that are fed.
      options: Accepted for compatibility.
    """

    fetches: Any
    feed_dict: Any = None
    options: Any = None


@export("compat.v1.train.SessionRunValues")
class SessionRunValues(NamedTuple):
    """The values that a session has computed for a hook.

    Attributes:
      results: The values of the hook's fetches, in the same structure, or None.
      options: None.
      run_metadata: None.
    """

    results: Any
    options: Any
    run_metadata: Any


@export("compat.v1.train.SessionRunContext")
class SessionRunContext:
    """Information about one call of `run`, for hooks.

    Args:
      original_args: The arguments of the program.
      session: The session.
    """

    def __init__(self, original_args: SessionRunArgs, session: Session) -> None:
        self._original_args, self._session, self._stop_requested = original_args, session, False

    @property
    def original_args(self) -> SessionRunArgs:
        """The arguments of the program, without the hooks' fetches."""
        return self._original_args

    @property
    def session(self) -> Session:
        """The session, in which a hook may run other parts of the graph."""
        return self._session

    @property
    def stop_requested(self) -> bool:
        """Whether `request_stop` was called."""
        return self._stop_requested

    def request_stop(self) -> None:
        """Makes `should_stop` of the monitored session return True after this run."""
        self._stop_requested = True


@export("compat.v1.train.SessionRunHook")
class SessionRunHook:
    """The base class of hooks, which a monitored session calls when it runs."""

    def begin(self) -> None:
        """Is called before the graph is finalized; it may add operations to the default graph."""

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Is called when the session was created and its variables have values.

        Args:
          session: The session.
          coord: The coordinator of the session's threads.
        """

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        """Is called before each run.

        Args:
          run_context: Information about the run.

        Returns:
          What is to be computed in addition, or None.
        """
        return None

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Is called after each run that raised no error.

        Args:
          run_context: Information about the run.
          run_values: The values that `before_run` asked for.
        """

    def end(self, session: Any) -> None:
        """Is called at the end, unless an error ended the session.

        Args:
          session: The session, which is still open.
        """


@export("compat.v1.train.SecondOrStepTimer")
class SecondOrStepTimer:
    """Decides at which steps something is due.

    Args:
      every_secs: The seconds between two such steps.
      every_steps: The number of steps between them.

    Raises:
      ValueError: Both are given, or neither.
    """

    def __init__(self, every_secs: float | None = None, every_steps: int | None = None) -> None:
        if every_secs is None and every_steps is None:
            raise ValueError("Either every_secs or every_steps should be provided.")
        if every_secs is not None and every_steps is not None:
            raise ValueError("Can not provide both every_secs and every_steps.")
        self._every_secs, self._every_steps = every_secs, every_steps
        self.reset()

    def reset(self) -> None:
        """Forgets the last step at which something was due."""
        self._last_triggered_step: int | None = None
        self._last_triggered_time = 0.0

    def should_trigger_for_step(self, step: int) -> bool:
        """Returns whether something is due at a step.

        Args:
          step: The number of the step.

        Returns:
          True for the first step; False for the step that was due last.
        """
        last = self._last_triggered_step
        if last is None:
            return True
        if last == step:
            return False
        if self._every_secs is not None:
            return time.monotonic() >= self._last_triggered_time + self._every_secs
        assert self._every_steps is not None
        return step >= last + self._every_steps

    def update_last_triggered_step(self, step: int) -> tuple[float | None, int | None]:
        """Sets the step that was due last.

        Args:
          step: The number of the step.

        Returns:
          The seconds and the steps since the last time, or None twice.
        """
        now, last = time.monotonic(), self._last_triggered_step
        elapsed = (None, None) if last is None else (now - self._last_triggered_time, step - last)
        self._last_triggered_time, self._last_triggered_step = now, step
        return elapsed

    def last_triggered_step(self) -> int | None:
        """Returns the step that was due last.

        Returns:
          The number of the step, or None.
        """
        return self._last_triggered_step


class StepHook(SessionRunHook):
    """A hook that fetches the global step."""

    def begin(self) -> None:
        """Finds the global step, or creates it."""
        self._step = get_or_create_global_step()

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Returns a request for the global step.

        Args:
          run_context: Information about the run.

        Returns:
          The request.
        """
        return SessionRunArgs(self._step)


@export("compat.v1.train.StopAtStepHook")
class StopAtStepHook(StepHook):
    """Ends a session at a step.

    Args:
      num_steps: The number of steps to run.
      last_step: The global step at which the session ends.

    Raises:
      ValueError: Both are given, or neither.
    """

    def __init__(self, num_steps: int | None = None, last_step: int | None = None) -> None:
        if num_steps is None and last_step is None:
            raise ValueError("One of num_steps or last_step must be specified.")
        if num_steps is not None and last_step is not None:
            raise ValueError("Only one of num_steps or last_step can be specified.")
        self._num_steps, self._last_step = num_steps, last_step

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Computes the last step.

        Args:
          session: The session.
          coord: The coordinator.
        """
        if self._last_step is None:
            assert self._num_steps is not None
            self._last_step = int(session.run(self._step)) + self._num_steps

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Asks the session to stop after the last step.

        Args:
          run_context: Information about the run.
          run_values: The global step, which the run itself may have increased.
        """
        assert self._last_step is not None
        near = run_values.results + 1 >= self._last_step
        if near and run_context.session.run(self._step) >= self._last_step:
            run_context.request_stop()


@export("compat.v1.train.FeedFnHook")
class FeedFnHook(SessionRunHook):
    """Feeds each run with the result of a function.

    Args:
      feed_fn: A function without arguments, which returns a dictionary for `feed_dict`.
    """

    def __init__(self, feed_fn: Callable[[], Any]) -> None:
        self.feed_fn = feed_fn

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Returns a request with the values to feed.

        Args:
          run_context: Information about the run.

        Returns:
          The request, which fetches nothing.
        """
        return SessionRunArgs(fetches=None, feed_dict=self.feed_fn())


@export("compat.v1.train.FinalOpsHook")
class FinalOpsHook(SessionRunHook):
    """Runs a part of the graph at the end of a session.

    Args:
      final_ops: A tensor or operation, or a structure of these.
      final_ops_feed_dict: The values that are fed.
    """

    def __init__(self, final_ops: Any, final_ops_feed_dict: Any = None) -> None:
        self._final_ops, self._feed = final_ops, final_ops_feed_dict
        self._values: Any = None

    @property
    def final_ops_values(self) -> object:
        """The values, or None before the end."""
        return self._values

    def end(self, session: Any) -> None:
        """Computes the values.

        Args:
          session: The session.
        """
        if self._final_ops is not None:
            self._values = session.run(self._final_ops, self._feed)


@export("compat.v1.train.NanLossDuringTrainingError")
class NanLossDuringTrainingError(RuntimeError):
    """The loss became NaN."""

    def __str__(self) -> str:
        return "NaN loss during training."


@export("compat.v1.train.NanTensorHook")
class NanTensorHook(SessionRunHook):
    """Ends a session if a loss is NaN.

    Args:
      loss_tensor: The loss.
      fail_on_nan_loss: Whether an error is raised; if False, the session is asked to stop.
    """

    def __init__(self, loss_tensor: Any, fail_on_nan_loss: bool = True) -> None:
        self._loss, self._fails = loss_tensor, fail_on_nan_loss

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Returns a request for the loss.

        Args:
          run_context: Information about the run.

        Returns:
          The request.
        """
        return SessionRunArgs(self._loss)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Checks the loss.

        Args:
          run_context: Information about the run.
          run_values: The loss.

        Raises:
          NanLossDuringTrainingError: The loss is NaN, and that is an error.
        """
        if not np.isnan(run_values.results):
            return
        if self._fails:
            logs.error("Model diverged with loss = NaN.")
            raise NanLossDuringTrainingError
        logs.warning("Model diverged with loss = NaN.")
        run_context.request_stop()
