"""How an earlier room reaches what only a later room has: the later one provides it."""

from __future__ import annotations

from typing import Generic, TypeVar

T = TypeVar("T")


class ExtensionPoint(Generic[T]):
    """A place for one object of a declared type, which a later room puts there when it is imported.

    Args:
      purpose: What the object is for, for the message where it is missing.

    Attributes:
      provided: The object; None before it was provided.
    """

    __slots__ = ("_purpose", "provided")

    def __init__(self, purpose: str) -> None:
        self._purpose = purpose
        self.provided: T | None = None

    def provide(self, provider: T) -> T:
        """Puts an object in this place, and returns it: also a decorator of functions."""
        self.provided = provider
        return provider

    def get(self) -> T:
        """Returns the object.

        Raises:
          RuntimeError: Nothing was provided.
        """
        if self.provided is None:
            raise RuntimeError(f"nothing has been provided for {self._purpose}")
        return self.provided
