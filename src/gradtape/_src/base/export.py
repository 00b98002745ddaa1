"""Decorators that state the public names of definitions.

The facades (such as `gradtape/math.py`) and `gradtape/raw_ops.py` are written by
`tools/generate_facades.py`, which reads these decorators from the sources. Nothing is looked up by
name when a program runs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import Any, TypeVar

from gradtape._src.base.dispatch import make_api, shorten_errors

C = TypeVar("C", bound=type)
T = TypeVar("T")


_HOT = ("gradtape._src.base.", "gradtape._src.core.")
"""Rooms whose classes have short methods; only methods with long tracebacks are decorated."""
_OPERATIONS = ("gradtape._src.ops.", "gradtape._src.text.", "gradtape._src.files.")


def shorten_errors_of_methods(cls: C) -> C:
    """Calls `shorten_errors` for the constructor and public methods of a class and of its bases."""
    for base in cls.__mro__:
        if base in _shortened:
            continue
        _shortened.add(base)
        for name, member in vars(base).items():
            function = getattr(member, "__func__", member)
            public = not name.startswith("_") or name in _CALLS
            if public:
                shorten_errors(function)
    return cls


_CALLS = ("__new__", "__init__", "__call__", "__enter__", "__exit__", "__next__", "__getitem__")
_shortened: set[type] = set()


def export(*paths: str, direct: bool | None = None) -> Callable[[T], T]:
    """Marks a function or class as public.

    A function in one of the rooms of operations can then have other implementations for other
    types than tensors; see `dispatch`.

    Args:
      paths: Its names below `tf`, such as `"math.exp"` and `"exp"`.
      direct: Whether a function, or the methods of a class, leave the shortening of tracebacks to
        the functions that they call, because it takes 40 nanoseconds. By default, a function that
        only calls an operation does so.

    Example:
      >>> @export("math.twice")
      ... def twice(x):
      ...     return 2 * x
    """

    def public(definition: T) -> T:
        module = getattr(definition, "__module__", "")
        if isinstance(definition, type) and not (direct or module.startswith(_HOT)):
            shorten_errors_of_methods(definition)
        elif isinstance(definition, FunctionType):
            apart = module.startswith(_OPERATIONS) and make_api(definition, paths, direct=direct)
            if not apart and not direct:
                shorten_errors(definition)
        return definition

    return public


def export_value(value: object, *paths: str) -> None:
    """Marks a module's constant, or another name of a public object, as public.

    Args:
      value: A variable of the module, written as a plain name, which the tool reads from the
        source.
      paths: Its names below `tf`.
    """


@dataclass(frozen=True)
class RawOp:
    """One of TensorFlow's raw operations.

    Attributes:
      name: TensorFlow's name of it.
      function: The function that computes it.
      renamed: For each raw argument whose name differs, the name of the parameter of `function`.
      ignored: Raw arguments that have no effect here, such as those for cuDNN.
      differentiable: Whether it has a gradient, if there is no primitive of this name.
    """

    name: str
    function: Callable[..., Any]
    renamed: dict[str, str]
    ignored: frozenset[str]
    differentiable: bool


RAW_OPS: dict[str, RawOp] = {}
"""The raw operations of the modules that are loaded, by TensorFlow's names."""
_NAMES: dict[object, str] = {}


def raw_name(function: object) -> str | None:
    """Returns the name of the raw operation that a function implements, or None.

    Args:
      function: The function.
    """
    return _NAMES.get(function)


def raw_op(
    name: str, *, ignored: Sequence[str] = (), differentiable: bool = True, **renamed: str
) -> Callable[[T], T]:
    """Declares that a function also implements one of TensorFlow's raw operations.

    Args:
      name: The raw operation's name, as in `tf.raw_ops`.
      ignored: Raw arguments that have no effect here.
      differentiable: False if the operation has no gradient; a primitive of this name takes
        precedence.
      **renamed: For each raw argument whose name differs, the name of the function's parameter.

    Example:
      >>> @raw_op("Twice", input="x")
      ... def twice(x, name=None):
      ...     return 2 * x
    """

    def declare(function: T) -> T:
        if name in RAW_OPS:
            raise KeyError(f"two functions serve as the raw operation {name}")
        RAW_OPS[name] = RawOp(name, function, renamed, frozenset(ignored), differentiable)  # type: ignore[arg-type]
        _NAMES.setdefault(function, name)
        return function

    return declare
