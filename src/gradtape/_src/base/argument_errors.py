"""Errors about arguments in place of those that NumPy and Python raise deep inside of a function.

`int(x)` of a vector, an index that is out of range or the truth value of an array fail with an
error of NumPy or Python, which says nothing of the function that was called. TensorFlow refuses
such arguments by InvalidArgumentError or TypeError, and so do the public functions here.
"""

from __future__ import annotations

import os
import re
from types import TracebackType

from gradtape._src.base.errors import InvalidArgumentError, OpError

_NUMPY = f"{os.sep}site-packages{os.sep}numpy{os.sep}"
_KINDS: list[tuple[type[Exception], str, type[Exception], str]] = [
    (
        *(TypeError, "only (0-dimensional|length-1|integer scalar) arrays can be converted"),
        *(InvalidArgumentError, "an argument must be a scalar, not an array"),
    ),
    (
        *(TypeError, "iteration over a 0-d (array|tensor)"),
        *(InvalidArgumentError, "an argument must have one axis or more, not be a scalar"),
    ),
    (
        *(IndexError, "tuple index out of range|too many indices for array"),
        *(InvalidArgumentError, "an argument has too few axes"),
    ),
    (
        *(IndexError, "(list )?index -?[0-9]* ?(is )?out of (bounds|range)"),
        *(InvalidArgumentError, "an argument has too few elements"),
    ),
    (
        *(TypeError, "ufunc .* not supported for the input types|Cannot cast (array|ufunc)"),
        *(InvalidArgumentError, "an argument has a dtype that is not allowed"),
    ),
    (
        *(ValueError, "operands could not be broadcast|cannot reshape array|.* values to unpack"),
        *(InvalidArgumentError, "the shapes of the arguments do not fit"),
    ),
    (
        *(ValueError, "invalid literal for int|could not convert string to float"),
        *(TypeError, "a text stands where a number is expected"),
    ),
    (
        *(ValueError, "The truth value of an array.*: a tensor of shape"),
        *(TypeError, "an argument must be a single value, not an array"),
    ),
    (
        *(AttributeError, "'.*' object has no attribute"),
        *(TypeError, "an argument has a type that is not allowed"),
    ),
]
_PATTERNS = [(kind, re.compile(text), better, why) for kind, text, better, why in _KINDS]


def explained(error: BaseException, name: str, ours: str) -> Exception | None:
    """Returns the error to raise instead; None if the error says enough, or is the program's own.

    Args:
      error: The error that a public function caught, with its whole traceback.
      name: The function's name.
      ours: The folder of the library's files.
    """
    if isinstance(error, OpError):
        return None
    for kind, pattern, better, why in _PATTERNS:
        if isinstance(error, kind) and pattern.match(str(error)):
            if not _from_library(error.__traceback__, ours) or _as_in_numpy(error):
                return None
            text = f"{name}: {why} ({error})"
            return better(None, None, text) if issubclass(better, OpError) else better(text)
    return None


def _as_in_numpy(error: BaseException) -> bool:
    """Whether a function of `tf.experimental.numpy` refuses shapes as NumPy does."""
    trace = error.__traceback__
    caller = trace.tb_frame.f_globals.get("__name__", "") if trace else ""
    return isinstance(error, ValueError) and caller.startswith("gradtape._src.numpy.")


def _from_library(trace: TracebackType | None, ours: str) -> bool:
    """Whether only lines of the library and of NumPy ran when an error was raised."""
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if not (file.startswith(ours) or _NUMPY in file):
            return False
        trace = trace.tb_next
    return True
