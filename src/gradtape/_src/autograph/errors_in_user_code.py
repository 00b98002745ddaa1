"""The errors that leave a traced function, with the program's lines in their messages."""

from __future__ import annotations

import copy
import re
import traceback
from itertools import zip_longest
from types import CodeType, TracebackType

from gradtape._src.autograph.features import OPERATORS
from gradtape._src.base.errors import (
    InaccessibleTensorError,
    OperatorNotAllowedInGraphError,
    OpError,
    UnimplementedError,
)
from gradtape._src.core.tracebacks import is_ours

_PREFIX = "in user code:"
_MADE_HERE = re.compile(_PREFIX + r"\n\n(?:    File .*\n        .*\n)+\n    ")
_MADE_OF_A_MESSAGE = {
    AssertionError,
    AttributeError,
    NameError,
    NotImplementedError,
    RuntimeError,
    StopIteration,
    TypeError,
    UnboundLocalError,
    ValueError,
    InaccessibleTensorError,
    OperatorNotAllowedInGraphError,
}
"""The classes of errors with their own `__init__` that TensorFlow creates again with a longer
message."""


class StagingError(Exception):
    """An error in a traced function, of a class that can't be created from a message alone.

    It is also of the original error's class, whose handlers catch it.

    Attributes:
      text: The message, with the lines of the program.
    """

    text = ""


class MultilineKeyError(KeyError):
    """A `KeyError` whose message is shown without quotes."""

    def __str__(self) -> str:
        return str(self.args[0])


MultilineKeyError.__name__ = "KeyError"  # unchanged when it is shown


def in_user_code(error: Exception, trace: TracebackType | None) -> Exception:
    """Returns an error whose message begins with the lines of the program that led to it.

    As in TensorFlow, it has the class of the error if that can be created from a message;
    otherwise, it is a `StagingError`.

    Args:
      error: The error that left the function.
      trace: The part of its traceback that belongs to the function.
    """
    if type(error).__module__.startswith("gradtape.") and not _is_of_tensorflow(error):
        return error  # gradtape's own handlers need the attributes
    lines = _lines(trace)
    if not lines:
        return error
    before = _MADE_HERE.match(str(error))
    if before:  # the error came from a function that this one calls
        said = str(error)[before.end() :].removesuffix("\n")
    else:
        said = f"{type(error).__name__}: {error}".replace("\n", "\n    ")
    made = _made(error, f"{_PREFIX}\n\n{''.join(lines)}\n    {said}\n")
    made.__traceback__, made.__cause__ = error.__traceback__, error.__cause__
    made.__suppress_context__ = True
    for note in getattr(error, "__notes__", ()):
        made.add_note(note)
    return made


def _is_of_tensorflow(error: BaseException) -> bool:
    plain = isinstance(error, OpError) and not isinstance(error, UnimplementedError)
    ours = (StagingError, MultilineKeyError)
    return plain or type(error) in _MADE_OF_A_MESSAGE or isinstance(error, ours)


def _lines(trace: TracebackType | None) -> list[str]:
    """Returns the lines of the program in a traceback; `*` marks those of converted functions."""
    entries = []
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if not (is_ours(file) or file.startswith("<frozen") or "/numpy/" in file):
            entries.append(trace)
        trace = trace.tb_next
    shown, converted = [], set[CodeType]()
    for entry, following in zip_longest(entries, entries[1:]):
        code = entry.tb_frame.f_code
        if OPERATORS in code.co_freevars or code in converted:
            converted.update([code, *[x for x in code.co_consts if isinstance(x, CodeType)]])
        if following is not None and _continues(entry, following):
            continue
        summary = traceback.extract_tb(entry, limit=1)[0]
        shown.append(
            f'    File "{summary.filename}", line {summary.lineno}, in {summary.name}  '
            f"{'*' if code in converted else '**'}\n        {summary.line}\n"
        )
    return shown


def _continues(entry: TracebackType, following: TracebackType) -> bool:
    """Whether the next entry is of the same call: in a branch or loop, or raised again."""
    if entry.tb_frame is following.tb_frame:
        return True
    a, b = entry.tb_frame.f_code, following.tb_frame.f_code
    if (a.co_filename, a.co_name) != (b.co_filename, b.co_name):
        return False
    return b in a.co_consts or (a is not b and entry.tb_lineno == following.tb_lineno)


def _made(error: BaseException, message: str) -> Exception:
    """Returns an error like another one, with a different message."""
    kind = type(error)
    if isinstance(error, StagingError):
        error.text = message
        return error
    if isinstance(error, OpError):
        changed = copy.copy(error)
        changed.message = message
        return changed
    if kind in (KeyError, MultilineKeyError):
        return MultilineKeyError(message)
    if kind in _MADE_OF_A_MESSAGE or kind.__init__ is Exception.__init__:
        made: Exception = kind(message)  # type: ignore[assignment]
        return made
    both = type("StagingError", (StagingError, kind), {"__str__": _text})
    combined: StagingError = both.__new__(both, *error.args)
    combined.__dict__.update(error.__dict__)
    combined.text = message
    return combined


def _text(error: StagingError) -> str:
    return error.text
