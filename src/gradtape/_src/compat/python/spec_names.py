"""`tensorflow.python.framework.type_spec_registry`: names by which classes of specs are known."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from gradtape._src.ops.types.specs import TypeSpec

_NAME_TO_TYPE_SPEC: dict[str, type[TypeSpec]] = {}
_TYPE_SPEC_TO_NAME: dict[type[TypeSpec], str] = {}
_NAME = re.compile(r"\w+(\.\w+)+")


def register(name: str) -> Callable[[Any], Any]:
    """A decorator that makes a class of specs known by a name.

    Args:
      name: As "my_project.MySpec".

    Raises:
      TypeError: The name is not a string, or the class is not a class of specs.
      ValueError: The name has another form, or one of both is registered already.
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
    """The name of a class of specs.

    Raises:
      TypeError: `cls` is not a class of specs.
      ValueError: The class was not given a name.
    """
    if not (isinstance(cls, type) and issubclass(cls, TypeSpec)):
        raise TypeError(f"Expected `cls` to be a TypeSpec; got {cls!r}")
    if cls not in _TYPE_SPEC_TO_NAME:
        raise ValueError(f"TypeSpec {cls.__module__}.{cls.__name__} has not been registered.")
    return _TYPE_SPEC_TO_NAME[cls]


def lookup(name: str) -> type[TypeSpec]:
    """The class of specs with a name.

    Raises:
      TypeError: The name is not a string.
      ValueError: None has it.
    """
    if not isinstance(name, str):
        raise TypeError(f"Expected `name` to be a string; got {name!r}")
    if name not in _NAME_TO_TYPE_SPEC:
        raise ValueError(f"No TypeSpec has been registered with name {name!r}")
    return _NAME_TO_TYPE_SPEC[name]
