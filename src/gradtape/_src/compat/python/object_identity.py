"""`tensorflow.python.util.object_identity`: collections that compare elements by identity.

Tensors and variables have no hashes, and `==` compares their elements.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Iterator, MutableMapping, MutableSet
from typing import Any, Generic, TypeVar

from gradtape._src.base.display import Reference as Reference

T = TypeVar("T")
V = TypeVar("V")


class ObjectIdentityDictionary(MutableMapping[T, V], Generic[T, V]):
    """A dictionary whose keys are compared by identity."""

    def __init__(self, *args: Any, **kwargs: V) -> None:
        self._storage: dict[int, tuple[Callable[[], T | None], V]] = {}
        self.update(*args, **kwargs)

    def _reference(self, key: T) -> Callable[[], T | None]:
        """Returns a function that returns the key, or None if it no longer exists."""
        return Reference(key).deref

    def __getitem__(self, key: T) -> V:
        try:
            return self._storage[id(key)][1]
        except KeyError:
            raise KeyError(key) from None

    def __setitem__(self, key: T, value: V) -> None:
        self._storage[id(key)] = (self._reference(key), value)

    def __delitem__(self, key: T) -> None:
        if self._storage.pop(id(key), None) is None:
            raise KeyError(key)

    def __len__(self) -> int:
        return len(self._storage)

    def __iter__(self) -> Iterator[T]:
        keys = [reference() for reference, _ in self._storage.values()]
        return (key for key in keys if key is not None)


class ObjectIdentityWeakKeyDictionary(ObjectIdentityDictionary[T, V]):
    """A dictionary whose keys are compared by identity, and dropped once nothing else uses them."""

    def _reference(self, key: T) -> Callable[[], T | None]:
        storage, place = self._storage, id(key)
        found: Callable[[], T | None] = weakref.ref(key, lambda _: storage.pop(place, None))
        return found


class ObjectIdentitySet(MutableSet[T]):
    """A set whose elements are compared by identity."""

    _mapping: type[ObjectIdentityDictionary[Any, None]] = ObjectIdentityDictionary

    def __init__(self, *args: Iterable[T]) -> None:
        self._storage = self._mapping()
        for items in args:
            self.update(items)

    def __contains__(self, item: object) -> bool:
        return item in self._storage

    def __iter__(self) -> Iterator[T]:
        return iter(self._storage)

    def __len__(self) -> int:
        return len(self._storage)

    def add(self, value: T) -> None:
        """Adds an element."""
        self._storage[value] = None

    def discard(self, value: T) -> None:
        """Removes an element if it is in the set."""
        self._storage.pop(value, None)

    def update(self, items: Iterable[T]) -> None:
        """Adds several elements."""
        for item in items:
            self.add(item)

    def intersection(self, items: Iterable[T]) -> ObjectIdentitySet[T]:
        """Returns the elements that are also in `items`."""
        return type(self)(item for item in items if item in self)

    def difference(self, items: Iterable[T]) -> ObjectIdentitySet[T]:
        """Returns the elements that are not in `items`."""
        others = ObjectIdentitySet(items)
        return type(self)(item for item in self if item not in others)


class ObjectIdentityWeakSet(ObjectIdentitySet[T]):
    """A set whose elements are compared by identity, and dropped once nothing else uses them."""

    _mapping: type[ObjectIdentityDictionary[Any, None]] = ObjectIdentityWeakKeyDictionary
