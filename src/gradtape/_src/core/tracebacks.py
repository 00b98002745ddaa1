"""Tracebacks without the library's internal lines.

A public function has an `except` clause that calls `shorten` and raises the
error again. Such a clause costs nothing as long as nothing is raised.
"""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Callable, Iterator
from functools import lru_cache, wraps
from types import CodeType, FrameType, TracebackType
from typing import Any, TypeVar

from gradtape._src.base.dispatch import errors_of_functions, shorten_tracebacks
from gradtape._src.base.error_messages import explained
from gradtape._src.base.errors import about_to_raise, when_first_made
from gradtape._src.base.export import export
from gradtape._src.base.process_settings import after_uncaught
from gradtape._src.core.extension_point import ExtensionPoint, Wrappings

E = TypeVar("E", bound=BaseException)

OURS = os.path.dirname(os.path.dirname(os.path.dirname(__file__))) + os.sep  # noqa: PTH120
"""Where the library's own files are, as frames name them."""
_STDLIB = os.path.dirname(os.__file__) + os.sep  # noqa: PTH120
_SITES = "site-packages" + os.sep
_USERS, _OURS, _EITHER = range(3)
_hidden: list[tuple[str, Callable[[], bool]]] = []


class Filtering:
    """Whether tracebacks are shortened in this process.

    Attributes:
      on: Whether they are.
      strict: Whether the program has enabled it. Then calls take slightly longer, and the only line
        of the library that is shown is that of the called function.
    """

    on = True
    strict = False


def hide(folder: str, when: Callable[[], bool]) -> None:
    """Also hides the frames of another library while its own filter is on.

    Args:
      folder: The folder of its files.
      when: Whether its filter is on.
    """
    _hidden.append((folder, when))


@lru_cache(4096)
def _owner(file: str) -> int:
    """Returns the owner of a file; files of the standard library belong to their callers."""
    if file.startswith((OURS, "<graph of ")):
        return _OURS
    if file.startswith((_STDLIB, "<frozen ")) and _SITES not in file:
        return _EITHER
    return _USERS


def is_ours(file: str) -> bool:
    """Whether a file belongs to gradtape or to a library whose lines are hidden now."""
    return _owner(file) == _OURS or any(file.startswith(f) and when() for f, when in _hidden)


def shorten(error: BaseException, *, to_program: bool = False) -> None:
    """Removes the library's lines from the traceback of an error that is raised again.

    It keeps the calling function, the user's lines and the line that raised the error. If lines of
    another library are hidden, its last line takes the place of the raising line. After
    `tf.debugging.enable_traceback_filtering()`, the last line is removed, too; after
    `tf.debugging.disable_traceback_filtering()`, nothing is removed.

    Args:
      error: The error that the calling function caught, and raises again by `raise`.
      to_program: Whether the traceback ends at the last of the user's lines below the calling
        function, if there is one, so that a debugger stops in the user's frame.
    """
    about_to_raise()
    trace = error.__traceback__
    if Filtering.on and trace is not None:
        kept = [trace, *_kept(trace, ends=not (to_program or Filtering.strict))]
        error.__traceback__ = _joined(kept)
        for entry in kept:
            if _owner(entry.tb_frame.f_code.co_filename) == _OURS:
                entry.tb_frame.f_globals.setdefault("__tracebackhide__", hidden_in_tests)


def hidden_in_tests(_: object = None) -> bool:
    """Whether pytest leaves out frames of the library; pytest finds it in modules' globals."""
    return Filtering.on


def brief(error: E) -> E:
    """Returns an error whose traceback is short, for `raise error`, which adds the raising line.

    Args:
      error: The error that the calling function caught, or that it raises instead.
    """
    if Filtering.on and error.__traceback__ is not None:
        error.__traceback__ = _joined(_kept(error.__traceback__, ends=not Filtering.strict))
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and _owner(frame.f_code.co_filename) == _OURS:
        frame.f_globals.setdefault("__tracebackhide__", hidden_in_tests)
        frame = frame.f_back
    return error


def _kept(trace: TracebackType, *, ends: bool) -> list[TracebackType]:
    """Returns the entries that are shown below the first one.

    Args:
      trace: The traceback.
      ends: Whether the line of the library that raised the error is among them.
    """
    entries = list(_entries(trace))
    own = [i for i, (_, ours) in enumerate(entries) if i and not ours]
    kept = [entries[i][0] for i in own]
    below = [entry for entry, _ in entries[own[-1] + 1 if own else 1 :]]
    others = [e for e in below if _owner(e.tb_frame.f_code.co_filename) == _USERS]
    if others:  # lines of another library say more than our own
        kept.append(others[-1])
    elif own and below and ends:
        kept.append(below[-1])
    return _without_doubles(kept)


def _entries(trace: TracebackType | None) -> Iterator[tuple[TracebackType, bool]]:
    """Returns the entries of a traceback, and whether each belongs to the library."""
    before = True
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        owner = _owner(file)
        before = before if owner == _EITHER else owner == _OURS or is_ours(file)
        yield trace, before
        trace = trace.tb_next


def _without_doubles(entries: list[TracebackType]) -> list[TracebackType]:
    """Removes duplicate entries of a frame, or of a converted function and its original."""
    return [
        entry
        for entry, following in zip(entries, [*entries[1:], None], strict=False)
        if following is None or not _is_double(entry, following)
    ]


def _is_double(entry: TracebackType, following: TracebackType) -> bool:
    if entry.tb_frame is following.tb_frame:  # the frame raised the caught error again
        return True
    a, b = entry.tb_frame.f_code, following.tb_frame.f_code
    same = (a.co_filename, a.co_name) == (b.co_filename, b.co_name)
    return same and a is not b and entry.tb_lineno == following.tb_lineno


def _joined(entries: list[TracebackType]) -> TracebackType | None:
    following: TracebackType | None = None
    for entry in reversed(entries):
        following = TracebackType(following, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return following


Positions = tuple[int, int, int, int]
"""The first line, the last line, the first column and the column after the last, in bytes."""


def located(error: E, code: CodeType, where: Positions) -> E:
    """Returns an error whose traceback begins with a line of the user that is not running.

    The lines of a compiled function run when it is traced, but errors may be raised later.

    Args:
      error: The error.
      code: The code to which the line belongs.
      where: The place in the file.
    """
    line, last, column, end = where
    if not Filtering.on or _has_users_frame(error) or _is_running(code, line, last):
        return error
    raising = ast.Raise(ast.Name("error", ast.Load()))
    for node in (raising, raising.exc):
        node.lineno, node.end_lineno, node.col_offset, node.end_col_offset = line, last, column, end  # type: ignore[union-attr]
    module = ast.Module([raising], [])
    made = compile(module, code.co_filename, "exec").replace(co_name=code.co_name)
    try:
        exec(made, {"error": error.with_traceback(None), "__name__": "__main__"})  # noqa: S102
    except type(error) as raised:
        trace = raised.__traceback__
        return error.with_traceback(None if trace is None else trace.tb_next)
    return error


def _is_running(code: CodeType, first: int, last: int) -> bool:
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        if frame.f_code is code and first <= frame.f_lineno <= last:
            return True
        frame = frame.f_back
    return False


def _has_users_frame(error: BaseException) -> bool:
    return not all(ours for _, ours in _entries(error.__traceback__))


_methods: list[tuple[Any, str]] = []
_wrappings = Wrappings()
errors_of_functions.provide(shorten, explained)
topics: ExtensionPoint[Callable[[BaseException], str | None]] = ExtensionPoint("leading to help")
when_first_made(lambda: after_uncaught(lambda error: topics.get()(error)))


def filter_methods(owner: Any, *names: str) -> None:
    """Sets the methods that the filter wraps once the program has enabled it."""
    _methods.extend([(owner, name) for name in names])


def _shortening(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def shortened(*args: Any, **kwargs: Any) -> object:
        try:
            return method(*args, **kwargs)
        except Exception as error:
            shorten(error)
            raise

    return shortened


def loosen() -> None:
    """Shows two lines of the library again, as if the filter had not been enabled."""
    Filtering.strict = False
    shorten_tracebacks(always=False)
    _wrappings.undo()


@export("debugging.enable_traceback_filtering")
def enable_traceback_filtering() -> None:
    """Hides the library's lines in tracebacks, except for the function that the program called.

    By default, up to two of them are shown below the program's line. Calls take slightly longer
    while the filter is enabled.

    >>> tf.debugging.enable_traceback_filtering()
    >>> tf.debugging.is_traceback_filtering_enabled()
    True
    """
    if not Filtering.strict:
        Filtering.on = Filtering.strict = True
        shorten_tracebacks(always=True)
        for owner, name in _methods:
            _wrappings.wrap(owner, name, _shortening)


@export("debugging.disable_traceback_filtering")
def disable_traceback_filtering() -> None:
    """Shows all of the library's lines in tracebacks.

    >>> tf.debugging.disable_traceback_filtering()
    >>> tf.debugging.is_traceback_filtering_enabled()
    False
    >>> tf.debugging.enable_traceback_filtering()
    """
    Filtering.on = False
    loosen()


@export("debugging.is_traceback_filtering_enabled")
def is_traceback_filtering_enabled() -> bool:
    """Returns whether lines of the library are left out of tracebacks.

    Returns:
      True, unless `disable_traceback_filtering` was called last.

    >>> tf.debugging.is_traceback_filtering_enabled()
    True
    """
    return Filtering.on
