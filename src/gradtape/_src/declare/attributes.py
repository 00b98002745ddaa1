"""Checks arguments that are attributes of operations; TensorFlow accepts few types for these."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import numpy as np

from gradtape._src.base.dtypes import as_dtype
from gradtape._src.base.name_scope import AROUND

F = TypeVar("F", bound=Callable[..., Any])
_TEXT = (str, bytes)
_EXACT: Mapping[str, Any] = {"bool": bool, "int": int, "float": float, "string": _TEXT}
_REAL = (int, float, np.integer, np.floating, np.bool_)


def attribute(kind: str, name: str, value: Any) -> object:
    """Converts an argument to the type of an attribute.

    Args:
      kind: "bool", "int", "float", "string" or "type", or "list(float)" and the like.
      name: The argument's name, for the message.
      value: The argument.

    Returns:
      The attribute's value; a string is `str`, and a type a `DType`.

    Raises:
      TypeError: The argument cannot be converted.
    """
    if kind.startswith("list("):
        if not isinstance(value, (list, tuple)):
            raise TypeError(f"Expected list for {name!r} argument, not {value!r}.")
        return [attribute(kind[5:-1], name, part) for part in value]
    said, convert = KINDS[kind]
    try:
        return convert(value)
    except (TypeError, ValueError):
        raise TypeError(f"Expected {said} for argument {name!r} not {value!r}.") from None


def is_exact(kind: str, value: Any) -> bool:
    """Whether an argument has an attribute's type already, or stands for its default.

    Args:
      kind: "bool", "int", "float", "string" or another.
      value: The argument.
    """
    return value is None or isinstance(value, _EXACT.get(kind, object))


def text(name: str, value: Any) -> str:
    """Returns an argument that is a string, as `attribute` does."""
    return str(attribute("string", name, value))


def _truth(value: Any) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError
    return bool(value)


def _whole(value: Any) -> int:
    if isinstance(value, _TEXT):
        raise TypeError
    return int(value)


def _real(value: Any) -> Any:
    if not isinstance(value, _REAL):
        raise TypeError
    return value


def _text(value: Any) -> str:
    if not isinstance(value, _TEXT):
        raise TypeError
    return value.decode() if isinstance(value, bytes) else value


KINDS: Mapping[str, tuple[str, Callable[[Any], Any]]] = {
    "bool": ("bool", _truth),
    "int": ("int", _whole),
    "float": ("float", _real),
    "string": ("string", _text),
    "type": ("DataType", as_dtype),
}
"""How a message names the type of an attribute, and how a value is converted to it."""


def _checked(kind: str, name: str, value: Any, default: Any) -> Any:
    """Returns an argument as its attribute's type, which it mostly has already."""
    if value is None and default is not inspect.Parameter.empty:
        return default
    if value is not None and is_exact(kind, value) and not kind.startswith("list("):
        return value
    return attribute(kind, name, value)


def takes(**kinds: str) -> Callable[[F], F]:
    """Checks the arguments of a function that are attributes of the operation behind it.

    None stands for the attribute's default, if it has one.

    Args:
      **kinds: "bool", "int", "float", "string", or "list(float)" and the like, by the names of
        parameters.

    Returns:
      A decorator. The function raises TypeError for an argument of another type.
    """

    def decorate(plain: F) -> F:
        parameters = inspect.signature(plain).parameters
        defaults = {name: parameters[name].default for name in kinds}
        places = [(list(parameters).index(name), name, kind) for name, kind in kinds.items()]
        first = min(place for place, _, _ in places)

        @functools.wraps(plain)
        def checked(*args: Any, **kwargs: Any) -> Any:
            for name in kinds.keys() & kwargs.keys() if kwargs else ():
                kwargs[name] = _checked(kinds[name], name, kwargs[name], defaults[name])
            if len(args) > first:
                given = list(args)
                for place, name, kind in places:
                    if place < len(given):
                        given[place] = _checked(kind, name, given[place], defaults[name])
                return plain(*given, **kwargs)
            return plain(*args, **kwargs)

        AROUND.add(f"{takes.__qualname__}.<locals>.decorate.<locals>.checked")
        return checked  # type: ignore[return-value]

    return decorate
