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

from gradtape._src.base.export import export
from gradtape._src.base.process_settings import in_child

BLOCK = 1 << 15
"""The number of elements in a block, chosen so that a chain of steps stays in the cache."""
SHARED = 1 << 17
"""The number of elements from which another thread, woken in 30 µs, pays off."""

Computation = Callable[[Callable[[Any], Any], Any, int], Any]


class Engine:
    """An engine that computes large arrays instead of NumPy, if the user enables it.

    Attributes:
      compute: `(formula on JAX's arrays, array, length of rows or 0) -> array`, or None if NumPy
        should compute it. The array's memory is its `base`, which has an attribute `owner`.
    """

    compute: Computation | None = None


def compute_large_arrays_by(compute: Computation | None) -> None:
    """Sets the engine for large arrays; None means NumPy."""
    Engine.compute = compute


def default_size() -> int:
    given = os.environ.get("OMP_NUM_THREADS", "")
    if given.isdecimal() and int(given) > 0:
        return int(given)
    try:
        return min(len(os.sched_getaffinity(0)), 16)
    except AttributeError:  # not on this system
        return min(os.cpu_count() or 1, 16)


class _Crew:
    """The helper threads, created when there is work for them, and again after a fork."""

    def __init__(self) -> None:
        self.size = default_size()
        self.start_anew()

    def start_anew(self) -> None:
        """Forgets the threads, which a fork does not copy."""
        self._lock = threading.Lock()
        self._helpers = 0
        self._calls: SimpleQueue[Callable[[], None]] = SimpleQueue()

    def call(self, tasks: Sequence[Callable[[], None]]) -> int:
        """Passes tasks, which must not raise, to helper threads, as many as the system can start.

        Returns:
          The number of tasks that will run: the first ones.
        """
        with self._lock:
            while self._helpers < len(tasks):
                helper = threading.Thread(target=self._help, args=(self._calls,), daemon=True)
                try:
                    helper.start()
                except RuntimeError:  # the system can't start more threads, or has none at all
                    break
                self._helpers += 1
            given = min(self._helpers, len(tasks))
        for task in tasks[:given]:
            self._calls.put(task)
        return given

    @staticmethod
    def _help(calls: SimpleQueue[Callable[[], None]]) -> None:
        while True:
            calls.get()()


crew = _Crew()
in_child(crew.start_anew)


def over_blocks(step: Callable[[slice], Any], size: int, width: int = 1) -> None:
    """Runs `step(block)` on all blocks of an array, in several threads if that is faster.

    Args:
      step: Works on the elements, or rows, of a slice; it calls only NumPy functions.
      size: The number of elements, or rows.
      width: The number of elements in a row.

    Raises:
      Exception: The first that a step raised.
    """
    length = max(BLOCK // width, 1)
    blocks = -(-size // length)
    helpers = min(crew.size, blocks) - 1 if size * width >= SHARED else 0
    if helpers <= 0:
        for k in range(blocks):
            step(slice(k * length, (k + 1) * length))
        return
    following = itertools.count().__next__
    errors: list[BaseException] = []
    done = threading.Semaphore(0)

    def work() -> None:
        try:
            while (k := following()) < blocks:
                step(slice(k * length, (k + 1) * length))
        except BaseException as error:  # noqa: BLE001  (raised again where the work was asked for)
            errors.append(error)
        done.release()

    # Each runs in a copy of this context, for np.errstate.
    called = crew.call([partial(copy_context().run, work) for _ in range(helpers)])
    work()
    for _ in range(called + 1):
        done.acquire()
    if errors:
        raise errors[0]


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
    """Returns how many operations run at the same time in one thread of the program.

    Returns:
      One.
    """
    return 1


@export("config.threading.set_inter_op_parallelism_threads")
def set_inter_op_parallelism_threads(num_threads: int) -> None:
    """Accepts any number: the operations of a thread run one after the other.

    Args:
      num_threads: A number of threads, which changes nothing.

    Raises:
      ValueError: `num_threads` is negative.
    """
    _number(num_threads)


def _number(num_threads: int) -> int:
    if num_threads < 0:
        raise ValueError(f"num_threads must be 0 or more, got {num_threads}")
    return num_threads
