"""Translates errors about arguments to those that TensorFlow raises while it traces a function."""

from __future__ import annotations

import re
from types import TracebackType

from gradtape._src.base.errors import InvalidArgumentError, UnimplementedError
from gradtape._src.core.recorder import STACK

_OURS = __file__.rpartition("_src")[0]
_ASSERTIONS = "/ops/control/assertions.py"
_OF_TYPES = re.compile(r"\bd?types?\b|was expected to be a \w+ tensor|for attr 'T'")
_OF_SHAPES = re.compile(r"shape|\bdim|rank|size|axis|axes|depth|indices", re.IGNORECASE)


def while_tracing(error: Exception) -> Exception:
    """Returns the error that TensorFlow raises for another error while a function is traced.

    TensorFlow infers dtypes and shapes while it makes a graph, and raises TypeError or ValueError
    for what does not fit; a kernel, which sees values, raises InvalidArgumentError.
    """
    return as_of_shapes(error) if _is_tracing() else error


def as_of_shapes(error: Exception) -> Exception:
    """Returns the error that TensorFlow raises instead of another one if it only infers shapes."""
    if type(error) is not InvalidArgumentError:
        return error
    text = str(error)
    kind = TypeError if _OF_TYPES.search(text) else ValueError if _OF_SHAPES.search(text) else None
    if kind is None or not _is_of_arguments(error.__traceback__):
        return error
    made = kind(text).with_traceback(error.__traceback__)
    for note in getattr(error, "__notes__", ()):
        made.add_note(note)
    return made


def is_of_shapes(error: Exception) -> bool:
    """Whether an error is about shapes rather than values."""
    return bool(_OF_SHAPES.search(str(error)))


def is_of_program(error: BaseException) -> bool:
    """Whether an error is caused by the program, not by code that a graph can't represent."""
    ours = isinstance(error, UnimplementedError) or _INTERNAL.search(str(error))
    return isinstance(error, Exception) and not ours


_INTERNAL = re.compile(r"\b(Size|Symbol|Lengths|UnknownRank)\b")


def _is_tracing() -> bool:
    recorders = STACK.recorders
    return bool(recorders) and any(r.defers for r in recorders)


def _is_of_arguments(trace: TracebackType | None) -> bool:
    """Whether one of gradtape's functions raised the error, and not an assertion of the program."""
    file = ""
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if file.endswith(_ASSERTIONS):
            return False
        trace = trace.tb_next
    return file.startswith((_OURS, "<"))
