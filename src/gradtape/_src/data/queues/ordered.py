"""Queues that return elements in another order than that in which they were added."""

from __future__ import annotations

import heapq
import itertools
from typing import Any

import numpy as np

from gradtape._src.base.export import export
from gradtape._src.data.elements.arguments import integer
from gradtape._src.data.queues.fifo import QueueBase, listed

_Item = tuple[Any, ...]  # raw values


@export("queue.RandomShuffleQueue")
class RandomShuffleQueue(QueueBase):
    """A queue that returns elements in random order.

    Args:
        capacity: The maximum number of elements.
        min_after_dequeue: The number of elements that must remain, unless the queue is closed.
        dtypes: The dtype of each component.
        shapes: The shape of each component. By default, shapes are not checked.
        names: The names of the components if elements are dictionaries.
        seed: The seed of the random numbers.
        shared_name: Accepted for compatibility.
        name: Accepted for compatibility.
    """

    def __init__(
        self,
        capacity: Any,
        min_after_dequeue: Any,
        dtypes: Any,
        shapes: Any = None,
        names: Any = None,
        seed: int | None = None,
        shared_name: str | None = None,
        name: str = "random_shuffle_queue",
    ) -> None:
        self._least, self._seed = integer(min_after_dequeue), seed
        super().__init__(capacity, dtypes, shapes, names, shared_name, name)

    def _begin(self) -> None:
        super()._begin()
        self._random = np.random.default_rng(self._seed)
        self._items: list[_Item] = []

    def _count(self) -> int:
        return len(self._items)

    def _ready(self) -> int:
        return self._count() - (0 if self._at_end() else min(self._least, self._count()))

    def _add(self, item: _Item) -> None:
        self._items.append(item)

    def _remove(self) -> _Item:
        at = int(self._random.integers(len(self._items)))
        self._items[at], self._items[-1] = self._items[-1], self._items[at]
        return self._items.pop()


@export("queue.PriorityQueue")
class PriorityQueue(QueueBase):
    """A queue that returns the elements with the lowest priority first.

    The first component of each element is its priority, an int64 scalar.

    Args:
        capacity: The maximum number of elements.
        types: The dtype of each further component.
        shapes: The shape of each further component.
        names: The names of all components if elements are dictionaries.
        shared_name: Accepted for compatibility.
        name: Accepted for compatibility.

    >>> queue = tf.queue.PriorityQueue(9, [tf.string], [()])
    >>> queue.enqueue((tf.constant(2, tf.int64), "b"))
    >>> queue.enqueue((tf.constant(1, tf.int64), "a"))
    >>> queue.dequeue()[1].numpy()
    b'a'
    """

    def __init__(
        self,
        capacity: Any,
        types: Any,
        shapes: Any = None,
        names: Any = None,
        shared_name: str | None = None,
        name: str = "priority_queue",
    ) -> None:
        kinds = [*listed(types)]
        parts = [None] * len(kinds) if shapes is None else [*shapes]
        whole = None if None in parts else [(), *parts]
        super().__init__(capacity, ["int64", *kinds], whole, names, shared_name, name)

    def _begin(self) -> None:
        super()._begin()
        self._items: list[tuple[int, int, _Item]] = []
        self._added = itertools.count()

    def _count(self) -> int:
        return len(self._items)

    def _add(self, item: _Item) -> None:
        heapq.heappush(self._items, (int(item[0]), next(self._added), item))

    def _remove(self) -> _Item:
        return heapq.heappop(self._items)[2]
