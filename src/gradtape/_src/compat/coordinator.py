"""`tf.train.Coordinator`: threads that stop together."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from gradtape._src.base.errors import OutOfRangeError
from gradtape._src.base.export import export

_STEP = 0.05  # the seconds between checks for exceptions of threads


@export("train.Coordinator")
class Coordinator:
    """Lets threads stop one another, and re-raises an exception of one of them.

    Args:
      clean_stop_exception_types: Exceptions that stop the threads, but that `join` does not raise;
        OutOfRangeError by default.

    >>> coordinator = Coordinator()
    >>> def work():
    ...     with coordinator.stop_on_exception():
    ...         while not coordinator.should_stop():
    ...             coordinator.request_stop()
    >>> thread = threading.Thread(target=work)
    >>> thread.start()
    >>> coordinator.join([thread])
    """

    def __init__(self, clean_stop_exception_types: Iterable[type] | None = None) -> None:
        types = (OutOfRangeError,) if clean_stop_exception_types is None else ()
        self._clean = types or tuple(clean_stop_exception_types or ())
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._exception: BaseException | None = None
        self._threads: list[threading.Thread] = []
        self._joined = False

    @property
    def joined(self) -> bool:
        """Whether `join` has returned."""
        return self._joined

    def should_stop(self) -> bool:
        """Returns whether threads were asked to stop.

        Returns:
          True after a request to stop.
        """
        return self._stop.is_set()

    def request_stop(self, ex: Any = None) -> None:
        """Asks all threads to stop.

        Args:
          ex: An exception that is being handled, or a result of `sys.exc_info()`, which `join`
            raises.

        Raises:
          TypeError: `ex` is neither an exception nor the result of `sys.exc_info()`.
        """
        exception = ex[1] if isinstance(ex, tuple) and len(ex) == 3 else ex
        if exception is not None and not isinstance(exception, BaseException):
            raise TypeError(f"request_stop takes an exception or sys.exc_info(), got {ex!r}")
        with self._lock:
            if self._joined:
                if exception is not None:
                    raise exception
                return
            if self._stop.is_set():
                return
            if exception is not None and not isinstance(exception, self._clean):
                self._exception = exception
            self._stop.set()

    def clear_stop(self) -> None:
        """Withdraws the request to stop, so that threads can run again."""
        with self._lock:
            self._joined = False
            self._exception = None
            self._stop.clear()

    def wait_for_stop(self, timeout: float | None = None) -> bool:
        """Waits until threads are asked to stop; returns whether that happened in time.

        Args:
          timeout: The maximum number of seconds; unlimited by default.

        Returns:
          Whether there was a request to stop.
        """
        return self._stop.wait(timeout)

    @contextmanager
    def stop_on_exception(self) -> Iterator[None]:
        """Turns an exception in the block into a request to stop.

        Returns:
          A context manager.
        """
        try:
            yield
        except BaseException:  # noqa: BLE001 (`join` raises it again)
            self.request_stop(sys.exc_info())

    def register_thread(self, thread: threading.Thread) -> None:
        """Makes `join` wait for a thread.

        Args:
          thread: The thread.
        """
        with self._lock:
            self._threads.append(thread)

    def raise_requested_exception(self) -> None:
        """Raises the exception that a thread has reported, if there is one."""
        if self._exception is not None:
            raise self._exception

    def join(
        self,
        threads: Iterable[threading.Thread] | None = None,
        stop_grace_period_secs: float = 120,
        ignore_live_threads: bool = False,
    ) -> None:
        """Waits until the threads have ended, or an exception has asked them to stop.

        Args:
          threads: Threads in addition to the registered ones.
          stop_grace_period_secs: The seconds that threads may continue to run after a request to
            stop.
          ignore_live_threads: Whether to return if threads still run after the grace period.

        Raises:
          RuntimeError: Threads still run after the grace period.
          BaseException: An exception that a thread reported by `request_stop`.
        """
        with self._lock:
            waiting = list(dict.fromkeys([*self._threads, *(threads or ())]))
        while any(t.is_alive() for t in waiting) and not self.wait_for_stop(_STEP):
            pass
        end = time.monotonic() + stop_grace_period_secs
        for thread in waiting:
            thread.join(max(0.0, end - time.monotonic()))
        alive = [t.name for t in waiting if t.is_alive()]
        with self._lock:
            self._joined = True
            self._threads = []
        self.raise_requested_exception()
        if alive and not ignore_live_threads:
            raise RuntimeError(f"Coordinator stopped with threads still running: {' '.join(alive)}")
