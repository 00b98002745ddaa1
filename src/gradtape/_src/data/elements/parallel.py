"""Calls a function in several threads, and keeps the order of the results."""

from __future__ import annotations

import os
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any, Final, Self

from gradtape._src.data.elements.arguments import integer, positive
from gradtape._src.data.elements.graph_values import in_thread

AUTOTUNE: Final = -1
_WORTH: Final = 2e-4
"""The seconds per call from which AUTOTUNE uses threads."""
_TRIED = 2  # the number of calls that AUTOTUNE measures


def parallel_calls(asked: Any) -> int:
    """Returns the number of threads for a step; 1 means no separate thread.

    Raises:
      InvalidArgumentError: The number is not positive.
    """
    if asked is None:
        return 1
    number = integer(asked)
    if number == AUTOTUNE:
        return 1 if (os.cpu_count() or 1) == 1 else AUTOTUNE
    return positive(asked, "num_parallel_calls")


class _Call:
    """A pending call."""

    __slots__ = ("_done", "_error", "_result", "argument")

    def __init__(self, argument: Any) -> None:
        self.argument = argument
        self._result: Any = None
        self._error: BaseException | None = None
        self._done = threading.Lock()
        self._done.acquire()

    def run(self, function: Callable[[Any], Any]) -> None:
        try:
            self._result = function(self.argument)
        except BaseException as error:  # noqa: BLE001 (raised where the result is asked for)
            self._error = error
        self.argument = None
        self._done.release()

    def result(self) -> object:
        with self._done:
            if self._error is not None:
                raise self._error
            return self._result


def _work(function: Callable[[Any], Any], calls: SimpleQueue[_Call | None]) -> None:
    while (call := calls.get()) is not None:
        call.run(function)


def _end(calls: SimpleQueue[_Call | None], threads: list[None]) -> None:
    with suppress(Empty):
        while True:  # the calls that have not started
            calls.get_nowait()
    for _ in threads:
        calls.put(None)


class _Calls:
    """The results of a function for items, with some calls made ahead.

    The consumer's thread takes the items. The worker threads are daemons, so that they don't keep a
    program from ending; they end with the last result, or when this object is deleted.
    """

    def __init__(self, function: Callable[[Any], Any], items: Iterator[Any], most: int) -> None:
        self._function, self._items, self._most = function, items, most
        self._under_way: deque[_Call] = deque()
        self._calls: SimpleQueue[_Call | None] = SimpleQueue()
        self._threads: list[None] = []
        self._more = True
        self._ended = weakref.finalize(self, _end, self._calls, self._threads)
        self._ended.atexit = False

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Any:
        while self._more and len(self._under_way) < self._most:
            self._begin()
        if not self._under_way:
            self._ended()
            raise StopIteration
        return self._under_way.popleft().result()

    def _begin(self) -> None:
        """Takes an item, and passes it to a thread."""
        try:
            call = _Call(next(self._items))
        except StopIteration:
            self._more = False
            return
        except Exception as error:  # noqa: BLE001 (raised in the item's place)
            call = _Call(error)
            call.run(_raise)
            self._under_way.append(call)
            return
        self._under_way.append(call)
        self._calls.put(call)
        if len(self._threads) < self._most:
            self._threads.append(None)
            threading.Thread(
                target=in_thread(_work),
                args=(self._function, self._calls),
                name="gradtape-map",
                daemon=True,
            ).start()


def _raise(error: Exception) -> None:
    raise error


class _Tuned:
    """The results of a function, computed in this thread, or in several if calls are slow."""

    def __init__(self, function: Callable[[Any], Any], items: Iterator[Any]) -> None:
        self._function, self._items = function, items
        self._left = _TRIED
        self._spent = 0.0
        self._results: Iterator[Any] | None = None

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Any:
        if self._results is not None:
            return next(self._results)
        item = next(self._items)
        start = time.perf_counter()
        try:
            return self._function(item)
        finally:
            self._spent = time.perf_counter() - start
            self._left -= 1
            if not self._left:
                self._decide()

    def _decide(self) -> None:
        """Decides by the last measured call, since the first calls may include loading times."""
        if self._spent < _WORTH:
            self._results = map(self._function, self._items)
        else:
            self._results = _Calls(self._function, self._items, os.cpu_count() or 1)


def in_threads(function: Callable[[Any], Any], items: Iterator[Any], threads: int) -> Iterator[Any]:
    """Yields the results of a function for items, in order, computed in several threads.

    An exception takes the place of the result of its item.

    Args:
      function: The function that is called in threads.
      items: The arguments of the calls.
      threads: The number of threads; AUTOTUNE uses one per processor if the calls take long enough.
    """
    return _Tuned(function, items) if threads == AUTOTUNE else _Calls(function, items, threads)
