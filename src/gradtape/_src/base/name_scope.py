"""Name scopes, which are prefixes of variables' names, with one stack for each thread.

Pictures of tapes show the scopes as boxes. To keep operations fast, the scopes themselves record
the next id of a value when they begin and end (`history`).
"""

from __future__ import annotations

import itertools
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from gradtape._src.base.export import export
from gradtape._src.base.scope_stacks import Scope

next_id = itertools.count(1).__next__
"""Returns a new id for a value that is differentiated; later values have larger ones."""
_NOTED = 16_384  # the maximum number of recorded beginnings and ends
AROUND: set[str] = set()
"""The qualified names of wrappers that call an operation `plain` with `args` and `kwargs`.

Graphs read the operation's argument `name` there.
"""


class _Scopes(threading.local):
    def __init__(self) -> None:
        self.stack = [""]
        self.noted: deque[tuple[int, str]] = deque(maxlen=_NOTED)
        self.unique: Callable[[str], str] | None = None  # names the scopes of a graph


_scopes = _Scopes()


def current() -> str:
    """Returns the prefix for new names: `"a/b/"`, or "" outside of all scopes."""
    return _scopes.stack[-1]


def stacked() -> list[str]:
    """Returns the prefixes of all open scopes, the outermost first."""
    return list(_scopes.stack)


def history() -> list[tuple[int, str]]:
    """Returns the last changes of this thread's scopes, in order.

    Returns:
      For each change an id, which all later values exceed, and the scopes that were open from then
      on, such as `"a/b/"`. The scopes before the first change are not known.
    """
    return list(_scopes.noted)


def note(scope: str) -> None:
    """Records for pictures that values computed from now on belong to some scopes.

    Args:
      scope: The scopes' names, each followed by a slash.
    """
    if not _scopes.noted:
        _scopes.noted.append((0, current()))
    _scopes.noted.append((next_id(), scope))


class noted:  # noqa: N801 (is used like a function)
    """Enters a `with` block whose values are in one box in pictures, like those of a scope.

    Args:
      name: The box's title, the name of a function for example.
    """

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name.replace("/", "_")

    def __enter__(self) -> None:
        note(f"{current()}{self._name}/")

    def __exit__(self, *error: object) -> None:
        note(current())


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
    """Opens the scopes of another thread in this new thread."""
    _scopes.stack = scopes


@export("get_current_name_scope")
def get_current_name_scope() -> str:
    """Returns the name of the scope that a program is in, such as "a/b"; empty outside of all.

    Returns:
      The names of the open scopes, joined by "/"; "" if none is open.
    """
    return current().rstrip("/")


@export("__internal__.get_name_scope")
def get_name_scope() -> str:
    """Returns the name of the scope that a program is in, as `tf.get_current_name_scope` does.

    Returns:
      The names of the open scopes, joined by "/"; "" if none is open.
    """
    return get_current_name_scope()


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
        note(there[-1])
        _scopes.stack = list(there)
