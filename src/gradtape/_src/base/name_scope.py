"""The scopes that stand in front of variables' names, one stack for each thread."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from gradtape._src.base.export import export
from gradtape._src.base.scope_stacks import Scope


class _Scopes(threading.local):
    def __init__(self) -> None:
        self.stack = [""]
        self.unique: Callable[[str], str] | None = None  # names the scopes of a graph


_scopes = _Scopes()


def current() -> str:
    """Returns the prefix for new names: `"a/b/"`, or "" outside of all scopes."""
    return _scopes.stack[-1]


def stacked() -> list[str]:
    """Returns the prefixes of all scopes around what runs now, the outermost first."""
    return list(_scopes.stack)


@contextmanager
def scopes_named_by(unique: Callable[[str], str]) -> Iterator[None]:
    """Makes a graph name the scopes within a block, each one differently.

    Args:
      unique: Returns the unique name of a scope for a requested name.
    """
    before, _scopes.unique = _scopes.unique, unique
    try:
        yield
    finally:
        _scopes.unique = before


def start_thread(scopes: list[str]) -> None:
    """Starts this new thread in the scopes of another one."""
    _scopes.stack = scopes


@export("get_current_name_scope")
def get_current_name_scope() -> str:
    """Returns the name of the scope that a program is in, such as "a/b"; empty outside of all.

    Returns:
      The names of the open scopes, joined by "/"; "" if none is open.
    """
    return current().rstrip("/")


@export("name_scope")
class name_scope(Scope):  # noqa: N801 (TensorFlow's name)
    """Put `name` in front of the names of variables made inside the `with` block.

    Args:
        name: The scope's name. One that ends in a slash replaces the scopes around it, and an
            empty one leaves them all.

    Raises:
        ValueError: If the name is not a string.

    >>> with name_scope("model"), name_scope("layer") as scope:
    ...     print(scope)
    model/layer/
    """

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise ValueError("name for name_scope must be a string.")
        super().__init__()
        self._name = name

    @property
    def name(self) -> str:
        """The name as it was given."""
        return self._name

    def _chosen(self) -> tuple[str, ...]:
        name = self._name
        if not name or name.endswith("/"):
            return (*_scopes.stack, name)
        whole, unique = f"{current()}{name}", _scopes.unique
        return (*_scopes.stack, f"{whole if unique is None else unique(whole)}/")

    def __enter__(self) -> str:
        super().__enter__()
        return current()

    def _now(self) -> tuple[str, ...]:
        return tuple(_scopes.stack)

    def _put(self, there: tuple[str, ...]) -> None:
        _scopes.stack = list(there)
