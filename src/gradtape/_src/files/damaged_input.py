"""Turns errors from damaged input into TensorFlow's errors.

Readers assume a valid file, so that damage raises various Python errors: for a missing key, too
large a number, too deep a structure. Every reader of files and messages runs inside `reading`,
which turns them into one error that names the input and the problem.
"""

from __future__ import annotations

import struct
import zlib
from types import TracebackType
from typing import Final

from gradtape._src.base.errors import DataLossError, OpError

SIGNS: Final = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    BufferError,
    EOFError,
    LookupError,
    MemoryError,
    NotImplementedError,
    RecursionError,
    SyntaxError,
    TypeError,
    ValueError,
    struct.error,
    zlib.error,
)
"""The errors of code that reads damaged bytes; errors of the file system are not included."""

_LONGEST: Final = 300  # the maximum number of characters of a message that come from the data


class reading:  # noqa: N801 (it reads as a statement)
    """A context that turns errors caused by damage into TensorFlow's.

    Args:
      what: The name of the input, with its path if there is one; the message begins with it.
      error: The class of the error, which TensorFlow raises for this damage.

    Raises:
      OpError: An error of the class `error` for damage; errors of `tf.errors` pass unchanged.
    """

    def __init__(self, what: str, error: type[OpError] = DataLossError) -> None:
        self._what, self._error = what, error

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if isinstance(error, SIGNS):
            message = f"{self._what} is damaged or cut off: {explained(error)}"
            raise self._error(None, None, message) from error  # type: ignore[call-arg]


def explained(error: BaseException) -> str:
    """Returns the reason that an exception gives for damaged data, as text."""
    if isinstance(error, RecursionError):
        return "its parts are nested too deeply"
    if isinstance(error, MemoryError):
        return "it asks for more memory than there is"
    said = str(error)[:_LONGEST]
    if isinstance(error, KeyError):
        return f"{said} is missing"
    return said or type(error).__name__
