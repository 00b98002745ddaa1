"""The origins of operations: the function of gradtape that made them, and the line of its call."""

from __future__ import annotations

import itertools
import linecache
import sys
from types import CodeType, FrameType
from typing import Any

from gradtape._src.base.name_scope import current

_OURS = __file__.rpartition("_src")[0]


class Origin(tuple[Any, ...]):
    """The origin of one or several operations: a call by the user's program.

    There is one for nearly every operation, so it only holds what tells the rest when that is
    asked for: the code that was called, a name, the scope of the call and the one that the graph is
    in, the code that called and the instruction there, and the call of a traced function to whose
    graph the operation belongs.
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
    def site(self) -> tuple[CodeType, int] | None:
        """The code that called and its line."""
        code: CodeType | None = self[4]
        if code is None:
            return None
        line = next(itertools.islice(code.co_positions(), self[5] // 2, None))[0]
        return code, line or code.co_firstlineno

    @property
    def place(self) -> str:
        """The file, line, function and text of what called; empty if that isn't known."""
        if self.site is None:
            return ""
        code, line = self.site
        text = linecache.getline(code.co_filename, line).strip()
        return f"{code.co_filename}:{line}, in {code.co_name}{f': {text}' if text else ''}"

    @property
    def call(self) -> Call | None:
        """The call of a traced function to whose graph the operation belongs, if it is one."""
        call: Call | None = self[6]
        return call

    def within(self, call: Call) -> Origin:
        """The origin of the operation when its function is called in a graph."""
        call = call if self.call is None else Call(self.call.name, call)
        return Origin((*self[:6], call))


class Call:
    """One call of a traced function while another one is traced.

    Args:
      name: The function's.
      around: The call in which this one happens, if it does in one.
    """

    __slots__ = ("around", "name")

    def __init__(self, name: str, around: Call | None = None) -> None:
        self.name, self.around = name, around


NOWHERE = Origin((None, None, "", "", None, 0, None))


class _Files(dict[str, bool]):
    """The files that belong to gradtape."""

    def __missing__(self, file: str) -> bool:
        found = self[file] = file.startswith((_OURS, "<"))
        return found


_OUR_FILES = _Files()


class _Named(dict[int, tuple[bool, CodeType]]):
    """Whether functions have a parameter `name`, by the ids of their code."""

    def of(self, code: CodeType) -> bool:
        found = self.get(id(code))  # the hash of a code takes longer than all of its comparison
        if found is None:
            parameters = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
            found = self[id(code)] = ("name" in parameters, code)
        return found[0]


_NAMED = _Named()
AROUND: set[CodeType] = set()
"""The codes of functions that stand around operations and call `plain` with `args` and `kwargs`."""


def _inside(frame: FrameType) -> tuple[CodeType, object]:
    """The code of the operation that a function of `AROUND` calls, and the argument `name`."""
    held = frame.f_locals
    code: CodeType = held["plain"].__code__
    args, kwargs = held["args"], held["kwargs"]
    parameters = code.co_varnames[: code.co_argcount]
    place = parameters.index("name") if "name" in parameters else len(args)
    return code, args[place] if place < len(args) else kwargs.get("name")


class Origins:
    """Finds the origin of one operation after the other.

    The operations of one call share their origin. That the call is still the same is seen by its
    frame, which is therefore kept until the next operation.
    """

    __slots__ = ("_around", "_frame", "_last", "replayed")

    def __init__(self) -> None:
        self._around = current()  # a graph has scopes of its own
        self.replayed: Origin | None = None
        """Of the operation of another graph that is being taken over."""
        self.forget()

    def forget(self) -> None:
        """Lets go of the last frame."""
        self._frame: FrameType | None = None
        self._last = NOWHERE

    def find(self, depth: int = 1) -> Origin:
        """The origin of what happens just now.

        Args:
          depth: How many of the innermost functions on the stack are surely ours.
        """
        if self.replayed is not None:
            return self.replayed
        inner = sys._getframe(depth)
        frame: FrameType | None = inner
        while frame is not None and _OUR_FILES[frame.f_code.co_filename]:
            inner, frame = frame, frame.f_back
        if inner is self._frame:
            return self._last
        called = inner.f_code
        name = None
        if called in AROUND:
            called, name = _inside(inner)
        elif _NAMED.of(called):
            name = inner.f_locals.get("name")
        name = name if isinstance(name, str) else None
        caller, last = (None, 0) if frame is None else (frame.f_code, frame.f_lasti)
        self._frame = inner
        self._last = Origin((called, name, current(), self._around, caller, last, None))
        return self._last
