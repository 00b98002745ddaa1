"""The points at which a later room takes part in the work of an earlier one.

It provides an object where the earlier room declares an `ExtensionPoint`, or wraps functions that
the earlier room declares as `wrappable`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Generic, TypeVar

T = TypeVar("T")


class ExtensionPoint(Generic[T]):
    """A place for one object of a declared type, which a later room puts there when it is imported.

    Args:
      purpose: What the object is for, for the message if it is missing.

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


_WRAPPABLE: dict[Any, frozenset[str]] = {}
_INHERITED: Final = object()


def wrappable(*names: str) -> Callable[[T], T]:
    """Declares which functions of a class or module a mode may wrap while it is on.

    Nothing stands between a caller and these functions where no mode is on, so that declaring them
    costs nothing when they are called.
    """

    def declare(owner: T) -> T:
        _WRAPPABLE[owner] = frozenset(names)
        return owner

    return declare


class Wrappings:
    """The functions that a mode wraps while it is on."""

    def __init__(self) -> None:
        self._before: list[tuple[Any, str, Any]] = []

    def wrap(self, owner: Any, name: str, wrapper: Callable[[Any], Any]) -> None:
        """Puts `wrapper(function)` in the place of a function.

        Raises:
          AttributeError: The owner does not declare that this function may be wrapped.
        """
        if name not in _WRAPPABLE.get(owner, ()):
            raise AttributeError(
                f"{owner.__name__} does not declare that {name!r} may be wrapped: name it in the "
                f"class's or module's @wrappable"
            )
        self._before.append((owner, name, vars(owner).get(name, _INHERITED)))
        setattr(owner, name, wrapper(getattr(owner, name)))

    def undo(self) -> None:
        """Puts all functions back."""
        while self._before:
            owner, name, function = self._before.pop()
            if function is _INHERITED:
                delattr(owner, name)
            else:
                setattr(owner, name, function)
