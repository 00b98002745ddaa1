"""`tf.autograph`: what programs call."""

from __future__ import annotations

import builtins
import contextlib
from collections.abc import Callable, Iterable
from types import FunctionType, MethodType
from typing import Any, TypeVar, overload

from gradtape._src.autograph import rules
from gradtape._src.autograph.calls import call_of, converted
from gradtape._src.autograph.features import Feature, Options, options_of
from gradtape._src.base.export import export

F = TypeVar("F", bound=Callable[..., Any])


class ConversionError(ValueError):
    """Raised if a function can't be converted."""


@overload
def do_not_convert(func: F) -> F: ...
@overload
def do_not_convert(func: None = None) -> Callable[[F], F]: ...
@export("autograph.experimental.do_not_convert")
def do_not_convert(func: F | None = None) -> F | Callable[[F], F]:
    """Marks a function that AutoGraph does not convert; a decorator, with or without parentheses.

    Args:
      func: The function.

    Returns:
      The function.

    >>> @tf.autograph.experimental.do_not_convert
    ... def double(x):
    ...     return x + x
    >>> double(2)
    4
    """
    if func is None:
        return do_not_convert
    marked = func.__func__ if isinstance(func, MethodType) else func
    # An object without weak references can't be converted anyway.
    with contextlib.suppress(TypeError):
        rules.unconverted.add(marked)
    return func


@export("autograph.to_graph")
def to_graph(
    entity: Callable[..., Any],
    recursive: bool = True,
    experimental_optional_features: Feature | Iterable[Feature] | None = None,
) -> Callable[..., Any]:
    """Returns a function whose control flow may depend on tensors.

    Args:
      entity: A Python function or method; a method becomes a function with `self` as its first
        argument.
      recursive: Whether the functions that it calls are converted, too.
      experimental_optional_features: The parts that are converted in addition to control flow.

    Returns:
      The converted function.

    Raises:
      ConversionError: `entity` is not a function that can be converted, or its source is not
        available.
    """
    from gradtape._src.autograph.conversion import convert  # loads malt

    function, options = _parts(entity, recursive, experimental_optional_features)
    try:
        made = convert(function, options, call_of(options)).instance(function)
    except ValueError as error:
        raise ConversionError(f"converting {entity}: {type(error).__name__}: {error}") from error
    made.__name__ = f"tf__{function.__name__}"
    return made


@export("autograph.to_code")
def to_code(
    entity: Callable[..., Any],
    recursive: bool = True,
    experimental_optional_features: Feature | Iterable[Feature] | None = None,
) -> str:
    """Returns the source of the function that `to_graph` would return.

    Args:
      entity: A Python function or method.
      recursive: Whether the functions that it calls are converted, too.
      experimental_optional_features: The parts that are converted in addition to control flow.

    Returns:
      The code as text.

    Raises:
      ConversionError: `entity` is not a function that can be converted, or its source is not
        available.
    """
    from gradtape._src.autograph.conversion import source_of  # loads malt

    try:
        return source_of(*_parts(entity, recursive, experimental_optional_features))
    except ValueError as error:
        raise ConversionError(f"converting {entity}: {type(error).__name__}: {error}") from error


def _parts(entity: Any, recursive: bool, features: Any) -> tuple[FunctionType, Options]:
    function = getattr(entity, "__func__", entity)
    if type(function) is not FunctionType:
        raise ConversionError(
            f"converting {entity}: Cannot apply autograph to a function that doesn't expose a "
            "__code__ object. If this is a @tf.function, try passing f.python_function instead."
        )
    return function, options_of(features, recursive)


@export("autograph.set_verbosity")
def set_verbosity(level: int, alsologtostdout: bool = False) -> None:
    """Sets how much AutoGraph logs about conversions, to the logger "tensorflow".

    Args:
      level: 0 logs only warnings; 1 or more logs every function that is converted.
      alsologtostdout: Whether to print it, too.
    """
    rules.verbosity.choose(level, alsologtostdout)


@export("autograph.trace")
def trace(*args: Any) -> None:
    """Prints values while a function is traced.

    Args:
      *args: The values to print.
    """
    builtins.print(*args)  # noqa: T201 (that is what it is for)


@export("__internal__.autograph.control_status_ctx")
def control_status_ctx() -> ControlStatus:
    """Returns whether functions that are called now are converted.

    Returns:
      A `ControlStatus`.
    """
    return ControlStatus(rules.enabled.get())


class ControlStatus:
    """Whether functions are converted.

    Attributes:
      enabled: True if functions are converted.
    """

    def __init__(self, enabled: bool) -> None:
        self.enabled = enabled


@export("__internal__.autograph.tf_convert")
def tf_convert(
    f: F, ctx: ControlStatus, convert_by_default: bool = True, user_requested: bool = False
) -> F:
    """Returns the converted form of a function that a library calls for a program.

    Args:
      f: The function.
      ctx: The result of `control_status_ctx()`.
      convert_by_default: Whether to convert the function if `ctx` does not determine it.
      user_requested: Accepted for compatibility.

    Returns:
      The converted function, or `f` itself if `ctx` says that nothing is converted.
    """
    return converted(f) if ctx.enabled and convert_by_default else f
