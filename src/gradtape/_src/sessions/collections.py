"""The collections of a graph: named lists of arbitrary objects."""

from __future__ import annotations

import re
from typing import Any


class Collections:
    """The collections of a graph: named lists of arbitrary objects."""

    def __init__(self) -> None:
        self._collections: dict[Any, list[Any]] = {}

    @property
    def collections(self) -> list[Any]:
        """The names of the collections."""
        return list(self._collections)

    def add_to_collection(self, name: Any, value: Any) -> None:
        """Appends a value to a collection.

        Args:
          name: The collection's name.
          value: The value.
        """
        self._collections.setdefault(name, []).append(value)

    def add_to_collections(self, names: Any, value: Any) -> None:
        """Appends a value to several collections, once to each.

        Args:
          names: The names of the collections, or a single name.
          value: The value.
        """
        for name in [names] if isinstance(names, str) else dict.fromkeys(names):
            self.add_to_collection(name, value)

    def get_collection(self, name: Any, scope: str | None = None) -> list[Any]:
        """Returns a copy of a collection.

        Args:
          name: The collection's name.
          scope: A regular expression that must match the beginning of the values' names.

        Returns:
          A list, which is empty if there is no such collection.
        """
        found = list(self._collections.get(name, []))
        if scope is None:
            return found
        begins = re.compile(scope)
        return [x for x in found if hasattr(x, "name") and begins.match(x.name)]

    def get_collection_ref(self, name: Any) -> list[Any]:
        """Returns the list of a collection itself, which programs may modify.

        Args:
          name: The collection's name.
        """
        return self._collections.setdefault(name, [])

    def clear_collection(self, name: Any) -> None:
        """Removes a collection.

        Args:
          name: The collection's name.
        """
        self._collections.pop(name, None)

    def get_all_collection_keys(self) -> list[Any]:
        """Returns the names of the collections whose names are strings."""
        return [name for name in self._collections if isinstance(name, str)]
