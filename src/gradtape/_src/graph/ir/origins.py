"""The origins of operations: the function of gradtape that made them, and the line of its call."""

from __future__ import annotations

import itertools
import linecache
import sys
from functools import lru_cache
from inspect import unwrap
from types import CodeType, FrameType
from typing import Any

from gradtape._src.base.name_scope import AROUND, current
from gradtape._src.core.tracebacks import Positions

IN_NODE = "in the node "
"""The beginning of the notes of errors in loaded functions."""
_OURS = __file__.rpartition("_src")[0]


class Origin(tuple[Any, ...]):
    """The origin of one or several operations: a call by the user's program.

    There is one for nearly every operation, so it holds only the data from which the rest is
    computed on demand: the called code, a name, the scopes of the call and of the graph, the
    calling code and its instruction, and the call of the traced function to whose graph the
    operation belongs.
    """

    __slots__ = ()
    __eq__ = object.__eq__
    __ne__ = object.__ne__
    __hash__ = object.__hash__

    @property
    def function(self) -> str:
        """The name of gradtape's function that was called."""
        code: CodeType | None = self[0]
        return "" if code is None else code.co_name

    @property
    def name(self) -> str | None:
        """The operation's name if the program gave one."""
        name: str | None = self[1]
        return name

    @property
    def scope(self) -> str:
        """The name scope of the call."""
        scope: str = self[2]
        return scope.removeprefix(self[3])

    @property
    def position(self) -> tuple[CodeType, Positions] | None:
        """The calling code, and its lines and columns."""
        code: CodeType | None = self[4]
        if code is None:
            return None
        line, last, column, end = next(itertools.islice(code.co_positions(), self[5] // 2, None))
        line = line or code.co_firstlineno
        return code, (line, last or line, column or 0, end or 0)

    @property
    def site(self) -> tuple[CodeType, int] | None:
        """The calling code and its line."""
        found = self.position
        return None if found is None else (found[0], found[1][0])

    @property
    def place(self) -> str:
        """The file, line, function and text of the caller, empty if they are unknown."""
        if self.site is None:
            return ""
        code, line = self.site
        text = linecache.getline(code.co_filename, line).strip()
        return f"{code.co_filename}:{line}, in {code.co_name}{f': {text}' if text else ''}"

    @property
    def call(self) -> Call | None:
        """The call of the traced function to whose graph the operation belongs, if there is one."""
        call: Call | None = self[6]
        return call

    def within(self, call: Call) -> Origin:
        """Returns the origin of the operation in a graph that calls the operation's function."""
        return Origin((*self[:6], self.call_within(call)))

    def call_within(self, call: Call) -> Call:
        """Returns the call of the operation's function in a graph that calls the function."""
        return call if self.call is None else Call(self.call.name, call)

    @property
    def note(self) -> str:
        """The text that is added to errors of the operations, empty for none."""
        return ""


class Call:
    """One call of a traced function while another one is traced.

    Args:
      name: The function's name.
      around: The surrounding call, if there is one.
      line: The line that calls the function.
    """

    __slots__ = ("around", "line", "name")

    def __init__(self, name: str, around: Call | None = None, line: Origin | None = None) -> None:
        self.name, self.around, self.line = name, around, line


class Imported(Origin):
    """The origin of the operations that one operation of an imported graph consists of."""

    __slots__ = ()
    __hash__ = object.__hash__

    @classmethod
    def named(cls, name: str) -> Imported:
        """Returns the origin for an operation with this name, which includes scopes."""
        return cls((None, name, "", "", None, 0, None))

    @property
    def whole_name(self) -> str:
        """The operation's name."""
        name: str = self[1]
        return name


NOWHERE = Origin((None, None, "", "", None, 0, None))


class _Files(dict[str, bool]):
    """The files that belong to gradtape."""

    def __missing__(self, file: str) -> bool:
        found = self[file] = file.startswith((_OURS, "<frozen", "<__array_function__"))
        return found


_OUR_FILES = _Files()
_new: Any = tuple.__new__  # faster than a call of the class


_readers: dict[int, tuple[Any, CodeType]] = {}
"""How to find the name of a function's operation, by the ids of codes, whose hash is slower."""


def _reader_of(code: CodeType) -> tuple[Any, CodeType]:
    """Returns the reader for calls of a function, and its code; None if it has no such parameter.

    The first of several parameters is the name of something else, such as a summary's.
    """
    parameters = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    reader = _own if "name" in parameters[len(parameters) > 1 :] else None
    found = _readers[id(code)] = (_inside if code.co_qualname in AROUND else reader), code
    return found


def _own(frame: FrameType) -> tuple[CodeType, object]:
    """Reads the argument `name` of a function with this parameter."""
    return frame.f_code, frame.f_locals.get("name")


@lru_cache(1 << 10)
def _code_of(function: Any) -> CodeType | None:
    """Returns the code of the innermost of several wrappers; None for a raw operation."""
    return getattr(unwrap(function), "__code__", None)


def _inside(frame: FrameType) -> tuple[CodeType, object]:
    """Returns the code of the operation that a wrapper calls, and the argument `name`."""
    held = frame.f_locals
    code = _code_of(held["plain"]) or frame.f_code
    args, kwargs = held["args"], held["kwargs"]
    parameters = code.co_varnames[: code.co_argcount]
    place = parameters.index("name") if "name" in parameters else len(args)
    return code, args[place] if place < len(args) else kwargs.get("name")


class Origins:
    """Finds the origins of successive operations.

    The operations of one call share their origin. The frame is kept until the next operation, to
    see whether the call is still the same.
    """

    __slots__ = ("_frame", "_last", "around", "replayed")

    def __init__(self) -> None:
        self.around = current()  # A graph has its own scopes.
        self.replayed: Origin | None = None
        """The origin of an operation that is copied from another graph."""
        self.forget()

    def forget(self) -> None:
        """Drops the last frame."""
        self._frame: FrameType | None = None
        self._last = NOWHERE

    def find(self, depth: int = 1) -> Origin:
        """Returns the origin of the current operation.

        Args:
          depth: The number of innermost frames that are known to belong to gradtape.
        """
        if self.replayed is not None:
            return self.replayed
        inner, files = sys._getframe(depth), _OUR_FILES
        frame = inner.f_back
        while frame is not None and files[frame.f_code.co_filename]:
            inner, frame = frame, frame.f_back
        if inner is self._frame:
            return self._last
        called = inner.f_code
        reader, _ = _readers.get(id(called)) or _reader_of(called)
        called, name = (called, None) if reader is None else reader(inner)
        name = name if isinstance(name, str) else None
        caller, last = (None, 0) if frame is None else (frame.f_code, frame.f_lasti)
        self._frame = inner
        found = called, name, current(), self.around, caller, last, None
        self._last = _new(Origin, found)
        return self._last


def explain(error: BaseException, origin: Origin | None) -> None:
    """Adds the note of an operation's origin to an error, unless the error has notes."""
    if origin is not None and origin.note and not hasattr(error, "__notes__"):
        error.add_note(origin.note)
