"""`tensorflow.python.util.deprecation`: logs once that a program uses a deprecated function."""

from __future__ import annotations

import functools
import inspect
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

from gradtape._src.sessions.older.arguments import either

_T = TypeVar("_T")
_log = logging.getLogger("tensorflow")
_silent = ContextVar("_silent", default=False)
_warned: set[Any] = set()


@contextmanager
def silence() -> Iterator[None]:
    """Enters a scope in which no messages about deprecation are logged."""
    token = _silent.set(True)
    try:
        yield
    finally:
        _silent.reset(token)


def _tell(key: Any, once: bool, message: str, *args: Any) -> None:
    if _silent.get() or (once and key in _warned):
        return
    _warned.add(key)
    _log.warning(message, *args)


def _when(date: str | None) -> str:
    return "in a future version" if date is None else f"after {date}"


def _name(func: Any) -> str:
    return f"{func.__module__}.{func.__qualname__}"


def _around(func: Any, before: Callable[[tuple[Any, ...], dict[str, Any]], None]) -> Any:
    """Makes a function, or a class's `__init__`, call `before` with its arguments first."""
    target = func
    if isinstance(func, type):
        cls: Any = func
        target = cls.__init__

    @functools.wraps(target)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        before(args, kwargs)
        return target(*args, **kwargs)

    if isinstance(func, type):
        func.__init__ = wrapper  # type: ignore[misc]
        return func
    return wrapper


def deprecated(date: str | None, instructions: str, warn_once: bool = True) -> Callable[[_T], _T]:
    """Returns a decorator for a deprecated function or class.

    Args:
      date: The date of its removal, such as "2030-01-31"; None if that is not known.
      instructions: The replacement to use.
      warn_once: Whether to warn only once.
    """

    def decorate(func: Any) -> Any:
        def before(_args: tuple[Any, ...], _kwargs: dict[str, Any]) -> None:
            _tell(
                func,
                warn_once,
                "%s is deprecated and will be removed %s.\nInstructions for updating:\n%s",
                _name(func),
                _when(date),
                instructions,
            )

        return _around(func, before)

    return decorate


def deprecated_alias(
    deprecated_name: str, name: str, func_or_class: _T, warn_once: bool = True
) -> _T:
    """Returns a function or class for use under its old name, which warns when it is called.

    Args:
      deprecated_name: The old name.
      name: The new name.
      func_or_class: The function or class.
      warn_once: Whether to warn only once.
    """

    def before(_args: tuple[Any, ...], _kwargs: dict[str, Any]) -> None:
        message = "The name %s is deprecated. Please use %s instead.\n"
        _tell((deprecated_name, name), warn_once, message, deprecated_name, name)

    given: Any = func_or_class
    if isinstance(given, type):
        given = type(given.__name__, (given,), {})
    renamed: _T = _around(given, before)
    return renamed


def deprecated_args(
    date: str | None, instructions: str, *deprecated_arg_names_or_tuples: Any, **kwargs: Any
) -> Callable[[_T], _T]:
    """Returns a decorator for a function with deprecated arguments.

    Args:
      date: The date of their removal; None if that is not known.
      instructions: The replacement to use.
      *deprecated_arg_names_or_tuples: Names of arguments, or pairs of a name and a value for which
        there is no warning.
      **kwargs: `warn_once` (True).

    Raises:
      ValueError: The function has no such argument.
    """
    nothing = object()
    old = {
        each if isinstance(each, str) else each[0]: nothing if isinstance(each, str) else each[1]
        for each in deprecated_arg_names_or_tuples
    }

    def said(name: str, value: Any) -> bool:
        return name in old and (old[name] is nothing or value != old[name])

    return _arguments(date, instructions, list(old), said, "%s", **kwargs)


def deprecated_arg_values(
    date: str | None, instructions: str, warn_once: bool = True, **deprecated_kwargs: Any
) -> Callable[[_T], _T]:
    """Returns a decorator for a function that deprecates certain values of arguments.

    Args:
      date: The date of their removal; None if that is not known.
      instructions: The replacement to use.
      warn_once: Whether to warn only once.
      **deprecated_kwargs: The values by the names of arguments.

    Raises:
      ValueError: The function has no such argument.
    """

    def said(name: str, value: Any) -> bool:
        return name in deprecated_kwargs and value is deprecated_kwargs[name]

    return _arguments(date, instructions, list(deprecated_kwargs), said, warn_once=warn_once)


def _arguments(
    date: str | None,
    instructions: str,
    names: list[str],
    said: Callable[[str, Any], bool],
    _form: str = "%s",
    warn_once: bool = True,
) -> Callable[[_T], _T]:
    def decorate(func: Any) -> Any:
        signature = inspect.signature(func)
        unknown = [name for name in names if name not in signature.parameters]
        if unknown:
            raise ValueError(f"{_name(func)} has no arguments {unknown} that could be deprecated")

        def before(args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
            try:
                given = signature.bind(*args, **kwargs).arguments
            except TypeError:  # the call itself raises a better error
                return
            for name, value in given.items():
                if said(name, value):
                    _tell(
                        (func, name),
                        warn_once,
                        "calling %s with %s=%r is deprecated and will be removed %s.\n"
                        "Instructions for updating:\n%s",
                        _name(func),
                        name,
                        value,
                        _when(date),
                        instructions,
                    )

        return _around(func, before)

    return decorate


def deprecated_argument_lookup(new_name: str, new_value: _T, old_name: str, old_value: _T) -> _T:
    """Returns the value of an argument that has an old and a new name.

    Raises:
      ValueError: Both were given.
    """
    return either(new_value, old_value, new_name, old_name)
