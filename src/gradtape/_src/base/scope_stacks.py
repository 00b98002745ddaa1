"""`with` blocks that are left even if Ctrl-C comes while they begin or end.

Python raises KeyboardInterrupt between any two instructions, and so also before the first one of
`__exit__`, which then does nothing. But a `with` statement fetches the exit before it enters, is
the only one to hold it, and lets go of it in any case. So exits are objects here, each made for one
statement: if it is gone without having been called, the block is over all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ContextDecorator
from typing import Any
from weakref import getweakrefs, ref


class ExitOf(property):
    """The attribute `__exit__` of a class: each time it is asked for, a new exit is made."""

    def __call__(self, owner: Any, *error: object) -> None:
        """Leaves at once, as `contextlib.ExitStack` asks for it."""
        self.__get__(owner)(*error)


class RecordingExit(ref[Any]):
    """The exit of a `with` statement over a recorder, which the stack of recorders keeps alive.

    It only refers to the recorder weakly, so that making it costs next to nothing, and
    `__enter__` finds it as the recorder's `__weakref__`. That a block ended without it is noticed
    when the stack is looked at (`recorder.heal`).
    """

    __slots__ = ()

    def __call__(self, kind: Any = None, value: Any = None, traceback: Any = None) -> None:
        recorder: Any = _referent(self)
        if recorder._recording:
            recorder._stop()


_referent = ref.__call__


def abandoned(recorders: Sequence[Any]) -> list[Any]:
    """Returns the recorders that a `with` statement entered which is over."""
    return [r for r in recorders if getattr(r, "by_with", False) and not _held(r)]


def _held(recorder: Any) -> bool:
    return any(isinstance(one, RecordingExit) for one in getweakrefs(recorder))


class _Exit:
    """The exit of a `with` statement over a scope; it leaves what was entered since it was made."""

    __slots__ = ("_depth", "_scope")

    def __init__(self, scope: Scope) -> None:
        self._depth = len(scope._entered)
        self._scope = scope

    def __call__(self, *error: object) -> None:
        within = len(self._scope._entered) - 1  # less than the depth if no statement asked
        self._scope._leave(min(self._depth, within))
        self.__class__ = _Called  # type: ignore[assignment]

    def __del__(self) -> None:
        if hasattr(self, "_scope"):  # else it was interrupted before it was whole
            self._scope._give_up(self._depth)


class _Called:
    """An exit that was called, and has nothing to do when it goes."""

    __slots__ = ("_depth", "_scope")


class Scope(ContextDecorator):
    """A `with` block in which something differs from what was before.

    A subclass tells what there is, and puts something there; twice does no harm. Blocks of one
    object may lie within one another.
    """

    def __init__(self) -> None:
        self._entered: list[Any] = []  # what was before and what is now, for each block that runs

    def _now(self) -> Any:
        """Returns the present value."""
        raise NotImplementedError(f"{type(self).__name__} does not tell what there is")

    def _chosen(self) -> Any:
        """Returns the value for the block that begins."""
        raise NotImplementedError(f"{type(self).__name__} does not tell what is to be there")

    def _put(self, there: Any) -> None:
        """Puts something there."""
        raise NotImplementedError(f"{type(self).__name__} does not put anything there")

    def __enter__(self) -> Any:
        chosen = self._chosen()
        self._entered.append((self._now(), chosen))
        self._put(chosen)

    __exit__ = ExitOf(_Exit)

    def _leave(self, depth: int) -> None:
        if len(self._entered) > depth >= 0:
            self._put(self._entered[depth][0])
            del self._entered[depth:]

    def _give_up(self, depth: int) -> None:
        """Leaves a block that has ended, unless a block around it has put back more by now."""
        if len(self._entered) > depth:
            if self._now() == self._entered[depth][1]:
                self._put(self._entered[depth][0])
            del self._entered[depth:]


class Setting(Scope):
    """A `with` block in which something differs from what was before.

    Args:
      now: Tells what there is.
      put: Puts something there; twice does no harm.
      new: What is to be there in the block.
    """

    def __init__(self, now: Callable[[], Any], put: Callable[[Any], Any], new: Any) -> None:
        super().__init__()
        self._read, self._write, self._new = now, put, new

    def _now(self) -> Any:
        return self._read()

    def _put(self, there: Any) -> None:
        self._write(there)

    def _chosen(self) -> Any:
        return self._new
