"""`tensorflow.python.framework.type_spec_registry`: registered names of spec classes."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from gradtape._src.ops.types.type_spec import TypeSpec

_NAME_TO_TYPE_SPEC: dict[str, type[TypeSpec]] = {}
_TYPE_SPEC_TO_NAME: dict[type[TypeSpec], str] = {}
_NAME = re.compile(r"\w+(\.\w+)+")


def register(name: str) -> Callable[[Any], Any]:
    """Returns a decorator that registers a spec class under a name.

    Args:
      name: The name, such as "my_project.MySpec".

    Raises:
      TypeError: The name is not a string, or the class is not a spec class.
      ValueError: The name does not have the form of the example, or the name or the class is
        already registered.
    """
    if not isinstance(name, str):
        raise TypeError(f"Expected `name` to be a string; got {name!r}")
    if not _NAME.fullmatch(name):
        raise ValueError(
            "Registered name must have the form '{project_name}.{type_name}' "
            f"(e.g. 'my_project.MyTypeSpec'); got {name!r}."
        )

    def decorate(cls: Any) -> Any:
        if not (isinstance(cls, type) and issubclass(cls, TypeSpec)):
            raise TypeError(f"Expected `cls` to be a TypeSpec; got {cls!r}")
        if cls in _TYPE_SPEC_TO_NAME:
            raise ValueError(
                f"Class {cls.__module__}.{cls.__name__} has already been registered with name "
                f"{_TYPE_SPEC_TO_NAME[cls]}."
            )
        if name in _NAME_TO_TYPE_SPEC:
            taken: Any = _NAME_TO_TYPE_SPEC[name]
            raise ValueError(
                f"Name {name} has already been registered for class "
                f"{taken.__module__}.{taken.__name__}."
            )
        _TYPE_SPEC_TO_NAME[cls] = name
        _NAME_TO_TYPE_SPEC[name] = cls
        return cls

    return decorate


def get_name(cls: Any) -> str:
    """Returns the registered name of a spec class.

    Raises:
      TypeError: `cls` is not a spec class.
      ValueError: The class is not registered.
    """
    if not (isinstance(cls, type) and issubclass(cls, TypeSpec)):
        raise TypeError(f"Expected `cls` to be a TypeSpec; got {cls!r}")
    if cls not in _TYPE_SPEC_TO_NAME:
        raise ValueError(f"TypeSpec {cls.__module__}.{cls.__name__} has not been registered.")
    return _TYPE_SPEC_TO_NAME[cls]


def lookup(name: str) -> type[TypeSpec]:
    """Returns the spec class that is registered under a name.

    Raises:
      TypeError: The name is not a string.
      ValueError: No class is registered under it.
    """
    if not isinstance(name, str):
        raise TypeError(f"Expected `name` to be a string; got {name!r}")
    if name not in _NAME_TO_TYPE_SPEC:
        raise ValueError(f"No TypeSpec has been registered with name {name!r}")
    return _NAME_TO_TYPE_SPEC[name]
