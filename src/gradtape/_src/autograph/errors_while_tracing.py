"""Translates errors about arguments to those that TensorFlow raises while it traces a function."""

from __future__ import annotations

import re
from collections.abc import Callable
from types import TracebackType
from typing import Any, TypeVar

from gradtape._src.base.errors import About, InvalidArgumentError, UnimplementedError
from gradtape._src.base.python_values import MixedElementsError, NotAnElementError
from gradtape._src.core.recorder import STACK
from gradtape._src.declare.arguments import CHECKED_IN_A_RUN

R = TypeVar("R")
_OURS = __file__.rpartition("_src")[0]
_ASSERTIONS = "/ops/control/assertions.py"
_OF_SHAPES = re.compile(r"shape|\bdim|rank|size|axis|axes|depth|indices", re.IGNORECASE)
_OF_VALUES = re.compile(r" is not in \[|by zero|\], but got -?\d+ \[Op:Slice\]$")
"""Errors of values that a compiled function meets while it is traced; others keep the operation."""
_OF_OPERATIONS = re.compile(r"\[Op:(\w+)\]")


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
    text = str(error)
    kind: type[Exception] | None
    if isinstance(error, ValueError):
        kind = TypeError if isinstance(error, (NotAnElementError, MixedElementsError)) else None
    elif type(error) is not InvalidArgumentError:
        kind = None
    elif error._about is not None:
        only_in_runs = error._about is About.SHAPES and not shapes_are_known
        kind = None if only_in_runs else error._about.in_graphs
    else:
        kind = _kind(text, shapes_are_known)
        if kind is not None and not _is_of_arguments(error.__traceback__):
            kind = None
    if kind is None:
        return error
    made = kind(text).with_traceback(error.__traceback__)
    for note in getattr(error, "__notes__", ()):
        made.add_note(note)
    return made


def _kind(text: str, shapes_are_known: bool) -> type[Exception] | None:
    """Returns what a kernel's error with this text becomes; None if it stays as it is."""
    operation = _OF_OPERATIONS.search(text)
    if not shapes_are_known or _OF_VALUES.search(text):
        return None
    if operation is not None and operation[1] in CHECKED_IN_A_RUN:
        return None
    return ValueError if operation is not None or _OF_SHAPES.search(text) else None


def is_of_shapes(error: Exception) -> bool:
    """Whether an error is about shapes rather than values."""
    return bool(_OF_SHAPES.search(str(error)))


def is_of_program(error: BaseException) -> bool:
    """Whether an error is caused by the program, not by code that a graph can't represent."""
    ours = isinstance(error, UnimplementedError) or _INTERNAL.search(str(error))
    return isinstance(error, Exception) and not ours


_INTERNAL = re.compile(r"\b(Size|Symbol|Lengths|UnknownRank)\b")


def _is_of_arguments(trace: TracebackType | None) -> bool:
    """Whether one of gradtape's functions raised the error, and not an assertion of the program."""
    file = ""
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if file.endswith(_ASSERTIONS):
            return False
        trace = trace.tb_next
    return file.startswith((_OURS, "<"))
