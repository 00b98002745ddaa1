"""`tf.train.CheckpointManager`: keeps the last few checkpoints of a program."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from gradtape._src.base.errors import FailedPreconditionError
from gradtape._src.base.export import export
from gradtape._src.files.paths import is_file, local, printable
from gradtape._src.saving.bundle import remove_bundle
from gradtape._src.saving.checkpoint import Checkpoint
from gradtape._src.saving.state import get_checkpoint_state, latest_checkpoint, update_state

_log = logging.getLogger("tensorflow")
_POLL = 1.0  # seconds


@export("train.CheckpointManager")
class CheckpointManager:
    """Saves checkpoints in a directory and removes old ones.

    If the program is killed at any time, the previous checkpoints stay intact.

    Args:
      checkpoint: The object to save.
      directory: The directory.
      max_to_keep: The number of checkpoints to keep, or None to keep all.
      keep_checkpoint_every_n_hours: If given, one checkpoint is kept permanently each time this
        number of hours has passed.
      checkpoint_name: The prefix of the files' names.
      step_counter: A variable that counts steps, for `checkpoint_interval`.
      checkpoint_interval: The minimum number of steps between checkpoints.
      init_fn: The function that `restore_or_initialize` calls if there is no checkpoint.
      last_checkpoint_step: The step of the last checkpoint of an earlier run, where the interval
        begins.

    Raises:
      ValueError: `max_to_keep` is not positive, or `checkpoint_interval` is given without
        `step_counter`.
    """

    def __init__(
        self,
        checkpoint: Checkpoint,
        directory: Any,
        max_to_keep: int | None,
        keep_checkpoint_every_n_hours: float | None = None,
        checkpoint_name: str = "ckpt",
        step_counter: Any = None,
        checkpoint_interval: int | None = None,
        init_fn: Callable[[], Any] | None = None,
        last_checkpoint_step: int | None = None,
    ) -> None:
        if max_to_keep is not None and max_to_keep <= 0:
            raise ValueError(
                f"Expected a positive integer or `None` for `max_to_keep`, got {max_to_keep}."
            )
        if checkpoint_interval is not None and step_counter is None:
            raise ValueError(
                "`step_counter` should be passed if `checkpoint_interval` is not None."
            )
        self._checkpoint = checkpoint
        self._directory = local(directory)
        self._max_to_keep = max_to_keep
        self._hours = keep_checkpoint_every_n_hours
        self._prefix = str(Path(self._directory) / checkpoint_name)
        self._counter, self._interval = step_counter, checkpoint_interval
        self._last_step = last_checkpoint_step
        self._init_fn = init_fn
        self._latest: str | None = None
        # the times of the checkpoints that may be removed, by path
        self._times: dict[str, float] = {}
        self._preserved = time.time()
        self._recover()

    def _recover(self) -> None:
        """Restores the state of the manager from the directory."""
        state = get_checkpoint_state(self._directory)
        if state is None:
            return
        self._latest = state.model_checkpoint_path
        self._preserved = state.last_preserved_timestamp or self._preserved
        paths, times = state.all_model_checkpoint_paths, state.all_model_checkpoint_timestamps
        if len(times) != len(paths):
            times = [self._preserved] * len(paths)
        self._times = dict(zip(paths, times, strict=True))

    @property
    def directory(self) -> str:
        """The directory of the checkpoints."""
        return self._directory

    @property
    def checkpoint(self) -> Checkpoint:
        """The checkpoint that is saved."""
        return self._checkpoint

    @property
    def checkpoint_interval(self) -> int | None:
        """The minimum number of steps between two checkpoints."""
        return self._interval

    @property
    def latest_checkpoint(self) -> str | None:
        """The path of the last checkpoint, or None."""
        return self._latest

    @property
    def checkpoints(self) -> list[str]:
        """The paths of the checkpoints that are not kept permanently, the oldest first."""
        return list(self._times)

    def save(
        self, checkpoint_number: Any = None, check_interval: bool = True, options: Any = None
    ) -> str | None:
        """Writes a checkpoint, and removes old ones.

        Args:
          checkpoint_number: The number of the checkpoint. Defaults to the checkpoint's
            `save_counter`.
          check_interval: Whether to check that enough steps have passed.
          options: Accepted for compatibility.

        Returns:
          The path of the checkpoint, or None if too few steps have passed.

        Raises:
          OpError: The files can't be written. The previous checkpoints are still there.
        """
        if self._interval is not None:
            step = int(self._counter)
            early = self._last_step is not None and step < self._last_step + self._interval
            if check_interval and early:
                return None
            before, self._last_step = self._last_step, step
        counter = self._checkpoint.save_counter
        count = counter._value
        counter.assign_add(1)
        number = int(counter if checkpoint_number is None else checkpoint_number)
        path = f"{self._prefix}-{number}"
        try:
            self._checkpoint.write(path)
        except BaseException:
            counter._replace(count)
            if self._interval is not None:
                self._last_step = before
            raise
        self._times.pop(path, None)
        self._times[path] = time.time()
        self._latest = path
        old = self._too_old()
        self._record()  # The checkpoints that the state file names exist at any time.
        for removed in old:
            self._remove(removed)
        return path

    def _remove(self, path: str) -> None:
        """Removes a checkpoint if it is in this directory; a state file may name others."""
        directory = Path(self._directory).resolve()
        try:
            inside = Path(path).parent.resolve().is_relative_to(directory)
        # There is no such file, or its links are circular.
        except (OSError, RuntimeError, ValueError):
            inside = False
        if inside:
            remove_bundle(path)
        else:
            _log.warning(
                "%s is not removed: the file 'checkpoint' in %s names it, but it lies elsewhere",
                printable(path),
                printable(self._directory),
            )

    def _too_old(self) -> list[str]:
        """Removes the oldest checkpoints from the list; returns those to delete."""
        old = []
        while self._max_to_keep is not None and len(self._times) > self._max_to_keep:
            path = next(iter(self._times))
            written = self._times.pop(path)
            if self._hours and written - 3600 * self._hours >= self._preserved:
                self._preserved = written
            else:
                old.append(path)
        return old

    def _record(self) -> None:
        assert self._latest is not None
        times = list(self._times.values())
        update_state(Path(self._directory), self._latest, self.checkpoints, times, self._preserved)

    def restore_or_initialize(self) -> str | None:
        """Restores the last checkpoint, or calls `init_fn` if there is no checkpoint.

        Returns:
          The path of the restored checkpoint, or None.

        Raises:
          FailedPreconditionError: The files of the last checkpoint do not exist.
        """
        if self._latest is not None:
            if not is_file(self._latest + ".index"):
                raise FailedPreconditionError(
                    None,
                    None,
                    f"The files of the last checkpoint {self._latest} do not exist any more",
                )
            self._checkpoint.restore(self._latest)
            if self._interval is not None:
                self._last_step = int(self._counter)
            return self._latest
        if self._init_fn is not None:
            self._init_fn()
            _log.info("Customized initialization is done through the passed `init_fn`.")
        return None


@export("train.checkpoints_iterator")
def checkpoints_iterator(
    checkpoint_dir: Any,
    min_interval_secs: float = 0,
    timeout: float | None = None,
    timeout_fn: Callable[[], bool] | None = None,
) -> Iterator[str]:
    """Yields the path of each new checkpoint of a directory, and waits for the next one.

    Args:
      checkpoint_dir: The directory.
      min_interval_secs: The minimum number of seconds between two checkpoints.
      timeout: The number of seconds to wait for a checkpoint, or None for no limit.
      timeout_fn: A function that is called after `timeout`; if it returns true, the iterator ends,
        otherwise it continues to wait.

    Returns:
      An iterator over paths of checkpoints.
    """
    last = None
    while True:
        new = _awaited(checkpoint_dir, last, timeout)
        if new is None:
            if timeout_fn is None or timeout_fn():
                return
            continue
        started = time.time()
        last = new
        yield new
        time.sleep(max(0.0, started + min_interval_secs - time.time()))


def _awaited(directory: Any, last: str | None, timeout: float | None) -> str | None:
    """Returns the next checkpoint after `last`, or None after the timeout."""
    stop = None if timeout is None else time.time() + timeout
    while True:
        path = latest_checkpoint(directory)
        if path is not None and path != last:
            return path
        if stop is not None and time.time() + min(_POLL, timeout or 0) > stop:
            return None
        time.sleep(_POLL if timeout is None else min(_POLL, timeout))
