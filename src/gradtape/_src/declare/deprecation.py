"""Deprecations of gradtape's own API: the first version that warns, the removal, the replacement.

    @deprecated("autodiff.old", since="0.2", removal="0.4", instead="tf.autodiff.new")
    def old(x): ...

The first call warns. TensorFlow's own old names are not affected: gradtape keeps them as long as
TensorFlow does. `compat.python.deprecation` holds TensorFlow's decorators, which libraries import.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from threading import Lock
from typing import NamedTuple, ParamSpec, TypeVar

from gradtape._version import __version__

_P = ParamSpec("_P")
_R = TypeVar("_R")


class Deprecation(NamedTuple):
    """The deprecation of a name.

    Attributes:
      name: The public name, without `tf.`.
      since: The version that first warned.
      removal: The version that removes it.
      instead: The replacement.
    """

    name: str
    since: str
    removal: str
    instead: str

    def __str__(self) -> str:
        return (
            f"tf.{self.name} is deprecated since gradtape {self.since} and will be removed in "
            f"{self.removal}. Use {self.instead} instead."
        )


DEPRECATED: dict[str, Deprecation] = {}
"""The deprecated names; a test fails for names that should have been removed."""
_warned: set[str] = set()
_lock = Lock()


def release(version: str) -> tuple[int, ...]:
    """Returns the numbers of a version, such as (0, 10, 2) for "0.10.2rc1".

    Raises:
      ValueError: `version` does not begin with a number.
    """
    numbers = version.partition("+")[0].split(".")
    return tuple(int(number) for number in numbers if number.isdigit()) or (int(version),)


def overdue(version: str = __version__) -> list[Deprecation]:
    """Returns the deprecated names that a version should have removed."""
    return [d for d in DEPRECATED.values() if release(d.removal) <= release(version)]


def deprecated(
    name: str, *, since: str, removal: str, instead: str
) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """Makes a function warn at its first call, and adds the deprecation to its docstring.

    Args:
      name: Its public name, without `tf.`.
      since: The version that warns for the first time.
      removal: The version that removes it, later than `since`.
      instead: The replacement.

    Returns:
      A decorator. The decorated function warns once in a process, with a DeprecationWarning that
      names the caller's line.

    Raises:
      ValueError: The versions are out of order, or the name is already deprecated.
    """
    if release(removal) <= release(since):
        raise ValueError(f"{name}: removal in {removal} must come after {since}")
    if name in DEPRECATED:
        raise ValueError(f"{name} is deprecated already: {DEPRECATED[name]}")
    known = DEPRECATED[name] = Deprecation(name, since, removal, instead)

    def decorate(function: Callable[_P, _R]) -> Callable[_P, _R]:
        @functools.wraps(function)
        def run(*args: _P.args, **kwargs: _P.kwargs) -> _R:
            if name not in _warned:
                warn_once(known, stacklevel=3)
            return function(*args, **kwargs)

        run.__doc__ = f"{function.__doc__ or function.__name__}\n\nDeprecated: {known}"
        return run

    return decorate


def warn_once(known: Deprecation, stacklevel: int = 2) -> None:
    """Warns of a deprecated name, once in this process."""
    with _lock:
        if known.name in _warned:
            return
        _warned.add(known.name)
    warnings.warn(str(known), DeprecationWarning, stacklevel=stacklevel)
