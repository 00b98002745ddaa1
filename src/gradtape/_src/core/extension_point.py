"""Extension points, through which a later room extends an earlier one.

The later room provides an object for an `ExtensionPoint` that the earlier one declares, or wraps
functions that it declares as `wrappable`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Generic, TypeVar

from gradtape._src.first_use import loading

T = TypeVar("T")


class ExtensionPoint(Generic[T]):
    """A place for one object of a declared type, which a later room provides on import.

    The module that provides it is loaded when the object is first asked for.

    Args:
      purpose: The purpose of the object, for the message if it is missing.

    Attributes:
      provided: The object; None before it was provided.
    """

    __slots__ = ("_purpose", "provided")

    def __init__(self, purpose: str) -> None:
        self._purpose = purpose
        self.provided: T | None = None

    def provide(self, provider: T) -> T:
        """Sets the object, and returns it; can be used as a decorator of functions."""
        self.provided = provider
        return provider

    def get(self) -> T:
        """Returns the object.

        Raises:
          RuntimeError: No object was provided.
        """
        if self.provided is None:
            loading.provider(self._purpose)
        if self.provided is None:
            raise RuntimeError(f"nothing has been provided for {self._purpose}")
        return self.provided


_WRAPPABLE: dict[Any, frozenset[str]] = {}
_INHERITED: Final = object()


def wrappable(*names: str) -> Callable[[T], T]:
    """Declares which functions of a class or module a mode may wrap while it is on.

    While no mode is on, callers get the original functions, so that the declaration does not slow
    down calls.
    """

    def declare(owner: T) -> T:
        _WRAPPABLE[owner] = _WRAPPABLE.get(owner, frozenset()) | set(names)
        return owner

    return declare


class Wrappings:
    """The functions that a mode wraps while it is on."""

    def __init__(self) -> None:
        self._before: list[tuple[Any, str, Any, Any]] = []

    def wrap(self, owner: Any, name: str, wrapper: Callable[[Any], Any]) -> None:
        """Replaces a function by `wrapper(function)`.

        Raises:
          AttributeError: The owner does not declare that this function may be wrapped.
        """
        if name not in _WRAPPABLE.get(owner, ()):
            raise AttributeError(
                f"{owner.__name__} does not declare that {name!r} may be wrapped: name it in the "
                f"class's or module's @wrappable"
            )
        wrapped = wrapper(getattr(owner, name))
        self._before.append((owner, name, vars(owner).get(name, _INHERITED), wrapped))
        setattr(owner, name, wrapped)

    def undo(self) -> None:
        """Restores all functions, except those that another mode has wrapped meanwhile."""
        while self._before:
            owner, name, function, wrapped = self._before.pop()
            if vars(owner).get(name) is not wrapped:
                continue
            if function is _INHERITED:
                delattr(owner, name)
            else:
                setattr(owner, name, function)
