"""Translates errors about arguments to those that TensorFlow raises while it traces a function."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

from gradtape._src.base.errors import About, InvalidArgumentError, UnimplementedError
from gradtape._src.base.python_values import MixedElementsError, NotAnElementError
from gradtape._src.core.recorder import STACK

R = TypeVar("R")


def while_tracing(error: Exception) -> Exception:
    """Returns the error that TensorFlow raises for another error while a function is traced.

    TensorFlow infers dtypes and shapes while it makes a graph, and raises TypeError or ValueError
    for what does not fit; a kernel, which sees values, raises InvalidArgumentError. If a function
    is traced for lengths that its signature leaves unknown, only a kernel can see that they do not
    fit.
    """
    tracers = [r for r in STACK.recorders if r.defers]
    if not tracers:
        return error
    return as_of_shapes(error, shapes_are_known=not any(r.fills_in for r in tracers))


def run_while_tracing(function: Callable[..., R], *args: Any, **kwargs: Any) -> R:
    """Calls a function, and translates the errors that it raises; see `while_tracing`."""
    try:
        return function(*args, **kwargs)
    except (InvalidArgumentError, ValueError) as error:
        translated = while_tracing(error)
        if translated is error:
            raise
        raise translated from None


def as_of_shapes(error: Exception, *, shapes_are_known: bool = True) -> Exception:
    """Returns the error that TensorFlow raises instead of another one if it only infers shapes."""
    kind: type[Exception] | None = None
    if isinstance(error, (NotAnElementError, MixedElementsError)):
        kind = TypeError
    elif type(error) is InvalidArgumentError:
        only_in_runs = error._about is About.SHAPES and not shapes_are_known
        kind = None if only_in_runs else error._about.in_graphs
    if kind is None:
        return error
    made = kind(str(error)).with_traceback(error.__traceback__)
    for note in getattr(error, "__notes__", ()):
        made.add_note(note)
    return made


def is_of_program(error: BaseException) -> bool:
    """Whether an error is caused by the program, not by code that a graph can't represent."""
    ours = isinstance(error, UnimplementedError) or _INTERNAL.search(str(error))
    return isinstance(error, Exception) and not ours


_INTERNAL = re.compile(r"\b(Size|Symbol|Lengths|UnknownRank)\b")
