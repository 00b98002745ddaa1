"""Iteration ahead of the consumer in a separate thread."""

from __future__ import annotations

import threading
from collections import deque
from typing import TYPE_CHECKING, Any

from gradtape._src.data.elements.graph_values import in_thread

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class _Buffer:
    """A buffer of items between two threads."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._items: deque[Any] = deque()
        self._changed = threading.Condition()
        self._done = False  # set when there are no more items
        self._closed = False  # set when the consumer wants no more items
        self._error: BaseException | None = None

    def put(self, item: Any) -> bool:
        """Adds an item when there is room; returns whether the consumer still wants it."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or len(self._items) < self._size)
            self._items.append(item)
            self._changed.notify_all()
            return not self._closed

    def finish(self, error: BaseException | None = None) -> None:
        """Signals the end of the items, with the error if there was one."""
        with self._changed:
            self._done, self._error = True, error
            self._changed.notify_all()

    def close(self) -> None:
        """Signals that the consumer wants no more items."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def __iter__(self) -> Iterator[Any]:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._items or self._done)
                if not self._items:
                    break
                item = self._items.popleft()
                self._changed.notify_all()
            yield item
        if self._error is not None:
            raise self._error


def _fill(buffer: _Buffer, produce: Callable[[], Iterator[Any]]) -> None:
    try:
        for item in produce():
            if not buffer.put(item):
                return
    except BaseException as error:  # noqa: BLE001 (the consumer's thread raises it)
        buffer.finish(error)
    else:
        buffer.finish()


def ahead(produce: Callable[[], Iterator[Any]], size: int) -> Iterator[Any]:
    """Iterates over the items of `produce`, up to `size` of which are made ahead.

    The thread starts when the first item is requested. It ends with the items, or after the current
    item when the iterator is closed or deleted. Its errors are raised here.
    """
    buffer = _Buffer(size)
    threading.Thread(
        target=in_thread(_fill),
        args=(buffer, produce),
        name="gradtape-prefetch",
        daemon=True,
    ).start()
    try:
        yield from buffer
    finally:
        buffer.close()
