"""Where operations come from: which function of gradtape made them, and which line called that."""

from __future__ import annotations

import sys
from functools import cache
from types import CodeType, FrameType

from gradtape._src.base.name_scope import current

_OURS = __file__.rpartition("_src")[0]


class Origin:
    """What made one or several operations: a call by the user's program.

    Attributes:
      function: The name of gradtape's function that was called.
      name: The operation's name where the program gave one.
      scope: The name scope of the call.
      site: The code that called and its line.
      call: The call of a traced function to whose graph the operation belongs, if it is one.
    """

    __slots__ = ("call", "function", "name", "scope", "site")

    def __init__(
        self,
        function: str,
        name: str | None,
        scope: str,
        site: tuple[CodeType, int] | None,
        call: Call | None = None,
    ) -> None:
        self.function, self.name, self.scope = function, name, scope
        self.site, self.call = site, call

    def within(self, call: Call) -> Origin:
        """The origin of the operation when its function is called in a graph."""
        call = call if self.call is None else Call(self.call.name, call)
        return Origin(self.function, self.name, self.scope, self.site, call)


class Call:
    """One call of a traced function while another one is traced.

    Args:
      name: The function's.
      around: The call in which this one happens, if it does in one.
    """

    __slots__ = ("around", "name")

    def __init__(self, name: str, around: Call | None = None) -> None:
        self.name, self.around = name, around


_NOWHERE = Origin("", None, "", None)


@cache
def _is_ours(file: str) -> bool:
    return file.startswith((_OURS, "<"))


@cache
def _takes_a_name(code: CodeType) -> bool:
    return "name" in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


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
        self._last = _NOWHERE

    def find(self) -> Origin:
        """The origin of what happens just now."""
        if self.replayed is not None:
            return self.replayed
        inner = sys._getframe(1)
        frame: FrameType | None = inner
        while frame is not None and _is_ours(frame.f_code.co_filename):
            inner, frame = frame, frame.f_back
        if inner is self._frame:
            return self._last
        code = inner.f_code
        name = inner.f_locals.get("name") if _takes_a_name(code) else None
        site = None if frame is None else (frame.f_code, frame.f_lineno)
        scope = current().removeprefix(self._around)
        said = name if isinstance(name, str) else None
        self._frame, self._last = inner, Origin(code.co_name, said, scope, site)
        return self._last
