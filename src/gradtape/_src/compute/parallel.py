"""Parallel work on large arrays: NumPy releases the interpreter lock in its loops.

Each free thread takes the next block, so that a busy core delays the result by at most the time
of one block.
"""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Callable, Sequence
from contextvars import copy_context
from functools import partial
from queue import SimpleQueue
from typing import Any

import numpy as np

from gradtape._src.base.export import export
from gradtape._src.base.process_settings import in_child

BLOCK = 1 << 15
"""The number of elements in a block, chosen so that a chain of steps stays in the cache."""
_ALONE = 1 << 18
"""The number of elements in a block of elementwise steps on one thread.

Other threads don't wait for a share there, and fewer calls of NumPy save more than the cache does.
"""
SHARED = 1 << 17
"""The number of elements from which another thread, woken in 30 µs, pays off."""


class Engine:
    """The engine that computes large arrays and functions instead of NumPy, if the user enables it.

    Attributes:
      is_xla: Whether XLA does, after `config.optimizer.set_jit(True)`.
    """

    is_xla = False


def compute_by_xla(enabled: bool) -> None:
    """Sets whether XLA computes large arrays and functions."""
    Engine.is_xla = enabled


def default_size() -> int:
    given = os.environ.get("OMP_NUM_THREADS", "")
    if given.isdecimal() and int(given) > 0:
        return int(given)
    try:
        return min(len(os.sched_getaffinity(0)), 16)
    except AttributeError:  # not on this system
        return min(os.cpu_count() or 1, 16)


class _Crew:
    """The helper threads, created when there is work for them, and again after a fork.

    Attributes:
      size: The number of threads for one operation.
      together: The number of threads on which a graph's independent operations run.
    """

    together = 1

    def __init__(self) -> None:
        self.size = default_size()
        self.start_anew()

    def start_anew(self) -> None:
        """Forgets the threads, which a fork does not copy."""
        self._lock = threading.Lock()
        self._helpers = 0
        self._calls: SimpleQueue[Callable[[], None]] = SimpleQueue()

    def call(self, tasks: Sequence[Callable[[], None]]) -> None:
        """Passes tasks, which must not raise, to helper threads.

        A task waits while all are busy, and is dropped if the system can't start enough of them.
        """
        with self._lock:
            while self._helpers < len(tasks):
                helper = threading.Thread(target=self._help, args=(self._calls,), daemon=True)
                try:
                    helper.start()
                except RuntimeError:  # the system can't start more threads, or has none at all
                    break
                self._helpers += 1
            given = tasks[: self._helpers]
        for task in given:
            self._calls.put(task)

    @staticmethod
    def _help(calls: SimpleQueue[Callable[[], None]]) -> None:
        while True:
            calls.get()()


crew = _Crew()
in_child(crew.start_anew)


class Buffer(threading.local):
    """Memory of each thread, kept so that its pages stay mapped and cached."""

    values = np.empty(0, np.uint8)

    def of(self, size: int, dtype: Any) -> np.ndarray[Any, Any]:
        """Returns uninitialized values, which the next call in the same thread overwrites."""
        if self.values.nbytes < size * dtype.itemsize:
            self.values = np.empty(size * dtype.itemsize, np.uint8)
        return self.values[: size * dtype.itemsize].view(dtype)


def elementwise_block() -> int:
    """Returns the number of elements in a block of elementwise steps."""
    return BLOCK if crew.size > 1 else _ALONE


def over_blocks(
    step: Callable[[slice], Any], size: int, width: int = 1, block_size: int = BLOCK
) -> None:
    """Runs `step(block)` on all blocks of an array, in several threads if that is faster.

    Args:
      step: Works on the elements, or rows, of a slice; it calls only NumPy functions.
      size: The number of elements, or rows.
      width: The number of elements in a row.
      block_size: The number of elements in a block.

    Raises:
      Exception: The first that a step raised.
    """
    length = max(block_size // width, 1)

    def block(k: int) -> None:
        step(slice(k * length, (k + 1) * length))

    over_steps(block, -(-size // length), size * width)


def over_steps(step: Callable[[int], Any], count: int, elements: int) -> None:
    """Runs `step(k)` for each k below `count`, in several threads if that is faster.

    Args:
      step: Calls only NumPy functions.
      count: The number of steps.
      elements: The number of elements on which all steps work together.

    Raises:
      Exception: The first that a step raised.
    """
    helpers = min(crew.size, count) - 1 if elements >= SHARED else 0
    if helpers > 0:
        run_shared(step, count, helpers)
        return
    for k in range(count):
        step(k)


def partial_sums(count: int) -> int:
    """Returns into how many sums, which threads compute, a sum of `count` terms is divided."""
    return min(count, 4 * crew.size) if crew.size > 1 else 1


def run_shared(step: Callable[[int], Any], count: int, helpers: int) -> None:
    """Runs `step(k)` for each k below `count`, in this thread and in helper threads.

    Each free thread takes the next k. If all helpers are busy, this thread runs all steps, so that
    a step may itself call this function.

    Args:
      step: Runs in a copy of this thread's context, for np.errstate.
      count: The number of steps.
      helpers: The largest number of helper threads.

    Raises:
      Exception: The first that a step raised; the steps that had not begun are not run.
    """
    following = itertools.count().__next__
    errors: list[BaseException] = []
    done: SimpleQueue[None] = SimpleQueue()
    runs: list[Callable[[int], Any]] = [step]
    runs += [partial(copy_context().run, step) for _ in range(helpers)]  # type: ignore[call-arg]

    def work(i: int) -> None:
        while (k := following()) < count:
            try:
                if not errors:
                    runs[i](k)
            except BaseException as error:  # noqa: BLE001  (raised again below)
                errors.append(error)
            done.put(None)

    crew.call([partial(work, i) for i in range(1, helpers + 1)])
    try:
        work(0)
        for _ in range(count):
            done.get()
        if errors:
            raise errors[0]
    finally:
        runs.clear()  # a helper that wakes up later would keep the arrays of the steps
        errors.clear()  # an error refers to this frame


def run_together(calls: Sequence[Callable[[], Any]]) -> list[Any]:
    """Returns the results of independent calls, which run at the same time.

    Raises:
      Exception: The first that a call raised.
    """
    results: list[Any] = [None] * len(calls)

    def step(k: int) -> None:
        results[k] = calls[k]()

    run_shared(step, len(calls), len(calls) - 1)
    return results


@export("config.threading.get_intra_op_parallelism_threads")
def get_intra_op_parallelism_threads() -> int:
    """Returns how many threads an elementwise operation on a large array may use.

    Returns:
      The number of threads.
    """
    return crew.size


@export("config.threading.set_intra_op_parallelism_threads")
def set_intra_op_parallelism_threads(num_threads: int) -> None:
    """Sets how many threads an elementwise operation on a large array may use.

    NumPy's linear algebra is controlled by the environment instead (`OPENBLAS_NUM_THREADS`).

    Args:
      num_threads: Their number; 0 for one per core.

    Raises:
      ValueError: `num_threads` is negative.
    """
    crew.size = _number(num_threads) or default_size()


@export("config.threading.get_inter_op_parallelism_threads")
def get_inter_op_parallelism_threads() -> int:
    """Returns on how many threads a `tf.function` may run independent operations.

    Returns:
      The number of threads; 1 unless it was set.
    """
    return crew.together


@export("config.threading.set_inter_op_parallelism_threads")
def set_inter_op_parallelism_threads(num_threads: int) -> None:
    """Sets on how many threads a `tf.function` may run operations that are independent.

    With more than one, the first call of a traced function measures its operations, and later calls
    run large independent parts, such as the towers of a model, at the same time. Set it before the
    functions are called.

    NumPy's products use all cores by themselves, and would compete for them. So this pays only if
    each of them has one thread (`OPENBLAS_NUM_THREADS=1` in the environment).

    Args:
      num_threads: The number of threads; 0 for one per core.

    Raises:
      ValueError: `num_threads` is negative.
    """
    crew.together = _number(num_threads) or default_size()


def _number(num_threads: int) -> int:
    if num_threads < 0:
        raise ValueError(f"num_threads must be 0 or more, got {num_threads}")
    return num_threads
