"""`tf.compat.v1.train.MonitoredSession`: sessions that are prepared, and call hooks."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Sequence
from typing import Any, Self

from gradtape._src.base.errors import OutOfRangeError, UnimplementedError
from gradtape._src.base.export import export
from gradtape._src.compat.coordinator import Coordinator
from gradtape._src.saving.state import latest_checkpoint
from gradtape._src.sessions.default_graph import get_default_graph
from gradtape._src.sessions.graph import Graph
from gradtape._src.sessions.monitored.hooks import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)
from gradtape._src.sessions.monitored.queue_runners import start_queue_runners
from gradtape._src.sessions.monitored.reporting_hooks import (
    CheckpointSaverHook,
    StepCounterHook,
    SummarySaverHook,
)
from gradtape._src.sessions.monitored.scaffold import Scaffold
from gradtape._src.sessions.session import Fetched, Session

USE_DEFAULT = object()


@export("compat.v1.train.SessionCreator")
class SessionCreator:
    """The base class of objects that create sessions."""

    def create_session(self) -> Session:
        """Returns a new session.

        Returns:
          The session.

        Raises:
          NotImplementedError: A subclass does not define the method.
        """
        raise NotImplementedError(f"{type(self).__name__} must define create_session")


@export("compat.v1.train.ChiefSessionCreator")
class ChiefSessionCreator(SessionCreator):
    """Creates sessions whose variables are restored or initialized.

    Args:
      scaffold: The operations for that.
      master: The execution engine; only "" is supported.
      config: Accepted for compatibility.
      checkpoint_dir: The directory from whose last checkpoint the variables are restored.
      checkpoint_filename_with_path: The checkpoint to restore, instead.
    """

    def __init__(
        self,
        scaffold: Scaffold | None = None,
        master: str = "",
        config: Any = None,
        checkpoint_dir: Any = None,
        checkpoint_filename_with_path: Any = None,
    ) -> None:
        self._scaffold = scaffold or Scaffold()
        self._master, self._config = master, config
        self._folder, self._path = checkpoint_dir, checkpoint_filename_with_path

    def create_session(self) -> Session:
        """Returns a new session whose variables have values.

        Returns:
          The session.

        Raises:
          RuntimeError: A variable has no value after the initialization.
        """
        scaffold = self._scaffold.finalize()
        session = Session(self._master, get_default_graph(), self._config)
        path = self._path or (latest_checkpoint(self._folder) if self._folder else None)
        if path is not None:
            scaffold.saver.restore(session, path)
        else:
            session.run(scaffold.init_op, scaffold.init_feed_dict)
            scaffold.init_fn(session)
        session.run(scaffold.local_init_op, scaffold.local_init_feed_dict)
        missing = session.run(scaffold.ready_op)
        if missing.size:
            names = ", ".join([name.decode() for name in missing])
            raise RuntimeError(
                "Init operations did not make model ready.  Init op: "
                f"{getattr(scaffold.init_op, 'name', None)}, init fn: {scaffold._init_fn}, "
                f"local_init_op: {getattr(scaffold.local_init_op, 'name', None)}, error: Variables "
                f"not initialized: {names}"
            )
        return session


class StepContext:
    """Passed by `run_step_fn` to its function.

    Args:
      session: The session without hooks.
      run_with_hooks: The function that runs with hooks.
    """

    def __init__(self, session: Session, run_with_hooks: Callable[..., Any]) -> None:
        self._session, self._run = session, run_with_hooks

    @property
    def session(self) -> Session:
        """The session, whose `run` calls no hooks."""
        return self._session

    def run_with_hooks(self, *args: Any, **kwargs: Any) -> object:
        """Runs a part of the graph, and calls the hooks.

        Args:
          *args: See `tf.compat.v1.Session.run`.
          **kwargs: See `tf.compat.v1.Session.run`.

        Returns:
          The values of the fetches.
        """
        return self._run(*args, **kwargs)

    def request_stop(self) -> None:
        """Makes `should_stop` return True, and ends the function.

        Raises:
          StopIteration: Always; `run_step_fn` catches it.
        """
        raise StopIteration("step_fn has requested the iterations to stop.")


class _Monitored:
    """A session that calls hooks."""

    def __init__(
        self,
        session_creator: SessionCreator | None,
        hooks: Sequence[SessionRunHook] | None,
        stop_grace_period_secs: int,
    ) -> None:
        self._hooks = list(hooks or ())
        for hook in self._hooks:
            hook.begin()
        creator = session_creator or ChiefSessionCreator()
        self._session: Any = creator.create_session()
        self._coord = Coordinator(clean_stop_exception_types=[])
        self._grace = stop_grace_period_secs
        start_queue_runners(self._session, self._coord)
        for hook in self._hooks:
            hook.after_create_session(self._session, self._coord)

    @property
    def graph(self) -> Graph | None:
        """The graph, or None if the session is closed."""
        return None if self._session is None else self._session.graph

    def run(
        self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None
    ) -> Fetched:
        """Runs a part of the graph, and calls the hooks before and after.

        Args:
          fetches: See `tf.compat.v1.Session.run`.
          feed_dict: See `tf.compat.v1.Session.run`.
          options: Accepted for compatibility.
          run_metadata: Accepted for compatibility.

        Returns:
          The values of the fetches.

        Raises:
          AttributeError: The session is closed.
          RuntimeError: `should_stop` is True, or two values are fed to one tensor.
        """
        if self._session is None:
            raise AttributeError("The session was ended: it runs nothing more.")
        if self.should_stop():
            raise RuntimeError("Run called even after should_stop requested.")
        context = SessionRunContext(SessionRunArgs(fetches, feed_dict), self._session)
        wanted: dict[Any, Any] = {"caller": fetches}
        feeds = dict(feed_dict or {})
        for i, hook in enumerate(self._hooks):
            request = hook.before_run(context)
            if request is None:
                continue
            if request.fetches is not None:
                wanted[i] = request.fetches
            twice = feeds.keys() & (request.feed_dict or {}).keys()
            if twice:
                raise RuntimeError(f"Same tensor is fed by two hooks or the program: {twice}")
            feeds.update(request.feed_dict or {})
        try:
            found = self._session.run(wanted, feeds)
        except Exception:
            self._coord.raise_requested_exception()
            raise
        for i, hook in enumerate(self._hooks):
            hook.after_run(context, SessionRunValues(found.get(i), None, None))
        if context.stop_requested:
            self._coord.request_stop()
        return found["caller"]

    def run_step_fn(self, step_fn: Callable[..., Any]) -> object:
        """Calls a function that may run parts of the graph with and without hooks.

        Args:
          step_fn: A function of a `StepContext`.

        Returns:
          The function's result, or None if it asked for a stop.

        Raises:
          ValueError: The function has other parameters.
        """
        if "step_context" not in inspect.signature(step_fn).parameters:
            raise ValueError(
                "step_fn may either have one `step_context` argument, or two with `self` before it"
            )
        try:
            return step_fn(StepContext(self._session, self.run))
        except StopIteration:
            self._coord.request_stop()
            return None

    def should_stop(self) -> bool:
        """Returns whether a hook or a thread asked the session to stop.

        Returns:
          True also if the session is closed.
        """
        return self._session is None or self._coord.should_stop()

    def close(self) -> None:
        """Calls `end` of the hooks, stops all threads, and closes the session."""
        self._close(None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> bool:
        if kind is not None and issubclass(kind, (OutOfRangeError, StopIteration)):
            kind = None
        self._close(kind)
        return kind is None

    def _close(self, error: type[BaseException] | None) -> None:
        if self._session is None:
            return
        try:
            if error is None:
                for hook in self._hooks:
                    hook.end(self._session)
        finally:
            try:
                self._coord.request_stop()
                self._coord.join(stop_grace_period_secs=self._grace, ignore_live_threads=True)
            finally:
                self._session.close()
                self._session = None


@export("compat.v1.train.MonitoredSession")
class MonitoredSession(_Monitored):
    """A session that initializes its variables, calls hooks, and starts threads for queues.

    The graph is finalized. In a `with` block, an OutOfRangeError ends the session without an error.

    Args:
      session_creator: Creates the session. Defaults to a `ChiefSessionCreator`.
      hooks: The hooks.
      stop_grace_period_secs: The seconds for which threads may go on after the end.

    >>> v1 = tf.compat.v1
    >>> with tf.Graph().as_default():
    ...     step = v1.train.get_or_create_global_step()
    ...     train = step.assign_add(1)
    ...     hooks = [v1.train.StopAtStepHook(last_step=3)]
    ...     with v1.train.MonitoredSession(hooks=hooks) as session:
    ...         while not session.should_stop():
    ...             done = session.run(train)
    >>> int(done)
    3
    """

    def __init__(
        self,
        session_creator: SessionCreator | None = None,
        hooks: Sequence[SessionRunHook] | None = None,
        stop_grace_period_secs: int = 120,
    ) -> None:
        super().__init__(session_creator, hooks, stop_grace_period_secs)


@export("compat.v1.train.SingularMonitoredSession")
class SingularMonitoredSession(_Monitored):
    """A session that initializes its variables and calls hooks, and shows the session inside.

    Args:
      hooks: The hooks.
      scaffold: The operations that prepare the session.
      master: The execution engine; only "" is supported.
      config: Accepted for compatibility.
      checkpoint_dir: The directory from whose last checkpoint the variables are restored.
      stop_grace_period_secs: The seconds for which threads may go on after the end.
      checkpoint_filename_with_path: The checkpoint to restore, instead.
    """

    def __init__(
        self,
        hooks: Sequence[SessionRunHook] | None = None,
        scaffold: Scaffold | None = None,
        master: str = "",
        config: Any = None,
        checkpoint_dir: Any = None,
        stop_grace_period_secs: int = 120,
        checkpoint_filename_with_path: Any = None,
    ) -> None:
        creator = ChiefSessionCreator(
            scaffold, master, config, checkpoint_dir, checkpoint_filename_with_path
        )
        super().__init__(creator, hooks, stop_grace_period_secs)

    def raw_session(self) -> Session:
        """Returns the session inside.

        Returns:
          A session, whose `run` calls no hooks.
        """
        found: Session = self._session
        return found


@export("compat.v1.train.MonitoredTrainingSession")
def MonitoredTrainingSession(  # noqa: N802 (TensorFlow's name)
    master: str = "",
    is_chief: bool = True,
    checkpoint_dir: Any = None,
    scaffold: Scaffold | None = None,
    hooks: Sequence[SessionRunHook] | None = None,
    chief_only_hooks: Sequence[SessionRunHook] | None = None,
    save_checkpoint_secs: Any = USE_DEFAULT,
    save_summaries_steps: Any = USE_DEFAULT,
    save_summaries_secs: Any = USE_DEFAULT,
    config: Any = None,
    stop_grace_period_secs: int = 120,
    log_step_count_steps: int | None = 100,
    max_wait_secs: int = 7200,
    save_checkpoint_steps: Any = USE_DEFAULT,
    summary_dir: Any = None,
    save_graph_def: bool = True,
) -> MonitoredSession:
    """Returns a monitored session with hooks that save checkpoints and summaries.

    Args:
      master: The execution engine; only "" is supported.
      is_chief: Whether this process initializes the variables; must be True.
      checkpoint_dir: The directory of the checkpoints; the last one is restored.
      scaffold: The operations that prepare the session.
      hooks: More hooks.
      chief_only_hooks: More hooks.
      save_checkpoint_secs: The seconds between two checkpoints. Defaults to 600.
      save_summaries_steps: The steps between two summaries. Defaults to 100.
      save_summaries_secs: The seconds between two summaries.
      config: Accepted for compatibility.
      stop_grace_period_secs: The seconds for which threads may go on after the end.
      log_step_count_steps: The steps between two messages about the speed, or None.
      max_wait_secs: Accepted for compatibility.
      save_checkpoint_steps: The steps between two checkpoints.
      summary_dir: The directory of the summaries. Defaults to `checkpoint_dir`.
      save_graph_def: Whether the graph is saved with the checkpoints.

    Returns:
      The session.

    Raises:
      UnimplementedError: `is_chief` is False: there are no distributed sessions.
    """
    if not is_chief:
        raise UnimplementedError(None, None, "Sessions are not distributed: is_chief must be True")
    scaffold = scaffold or Scaffold()
    checkpoints = _either(save_checkpoint_steps, save_checkpoint_secs, (None, 600))
    summaries = _either(save_summaries_steps, save_summaries_secs, (100, None))
    made: list[SessionRunHook] = []
    summary_dir = summary_dir or checkpoint_dir
    if summary_dir:
        folder = os.fspath(summary_dir)
        if log_step_count_steps:
            made.append(StepCounterHook(log_step_count_steps, output_dir=folder))
        if any(summaries):
            made.append(SummarySaverHook(*summaries, output_dir=folder, scaffold=scaffold))
    if checkpoint_dir and any(checkpoints):
        steps, seconds = checkpoints
        made.append(
            CheckpointSaverHook(
                checkpoint_dir, seconds, steps, scaffold=scaffold, save_graph_def=save_graph_def
            )
        )
    creator = ChiefSessionCreator(scaffold, master, config, checkpoint_dir)
    whole = [*made, *(hooks or ()), *(chief_only_hooks or ())]
    return MonitoredSession(creator, whole, stop_grace_period_secs)


def _either(steps: Any, seconds: Any, default: tuple[Any, Any]) -> tuple[Any, Any]:
    """Returns the steps and the seconds between two events, of which one may be given."""
    if steps is USE_DEFAULT and seconds is USE_DEFAULT:
        return default
    return tuple(None if x is USE_DEFAULT else x or None for x in (steps, seconds))  # type: ignore[return-value]
