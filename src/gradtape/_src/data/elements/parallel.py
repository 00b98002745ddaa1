"""Calls of a function in several threads, whose results keep their order."""

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
"""Seconds that a call must take so that AUTOTUNE hands calls to threads."""
_TRIED = 2  # calls by which AUTOTUNE decides


def parallel_calls(asked: Any) -> int:
    """Returns the number of threads for a step; with 1, the step has no thread of its own.

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
    """A call whose result is waited for."""

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
        while True:  # calls that have not begun
            calls.get_nowait()
    for _ in threads:
        calls.put(None)


class _Calls:
    """The results of a function for items, with some calls made ahead.

    The items are taken by the thread that asks for results. The threads are daemons that wait for
    calls only, so that a program ends whenever it wants to; they end with the last result, or when
    this object is forgotten.
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
        """Takes an item, and hands it to a thread."""
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
    """Results of a function by this thread, or by several if calls turn out to take long."""

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
        """The last call that was tried tells; the first ones may have loaded things."""
        if self._spent < _WORTH:
            self._results = map(self._function, self._items)
        else:
            self._results = _Calls(self._function, self._items, os.cpu_count() or 1)


def in_threads(function: Callable[[Any], Any], items: Iterator[Any], threads: int) -> Iterator[Any]:
    """The results of a function for items, in their order, computed by several threads.

    An exception takes the place of the result of its item.

    Args:
      function: Is called in threads.
      items: What it is called with.
      threads: How many; AUTOTUNE: as many as there are processors, if calls take long enough.
    """
    return _Tuned(function, items) if threads == AUTOTUNE else _Calls(function, items, threads)
