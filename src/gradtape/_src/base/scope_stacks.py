"""`with` blocks that are left even if Ctrl-C comes while they begin or end.

Python may raise KeyboardInterrupt between any two instructions, also before the first one of
`__exit__`, which then has no effect. But a `with` statement fetches `__exit__` before it enters the
block, holds the only reference to it, and always drops it at the end. So each statement gets an
exit object of its own here. If that object is deleted without having been called, its block has
ended.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ContextDecorator
from contextvars import ContextVar
from typing import Any
from weakref import getweakrefs, ref

around_init_scope: ContextVar[tuple[Any, ...]] = ContextVar("around `init_scope`", default=())
"""In a block of `tf.init_scope`: the compiler of the function that is traced around it."""


class ExitOf(property):
    """The attribute `__exit__` of a class, which makes a new exit at each access."""

    def __call__(self, owner: Any, *error: object) -> None:
        """Leaves the block now, for callers such as `contextlib.ExitStack`."""
        self.__get__(owner)(*error)


class RecordingExit(ref[Any]):
    """The exit of a `with` statement over a recorder, which the stack of recorders keeps alive.

    It is a weak reference to the recorder: it is cheap to make, and `__enter__` finds it as the
    recorder's `__weakref__`. If a block ended without a call of its exit, the next inspection of
    the stack (`recorder.heal`) finds that.
    """

    __slots__ = ()

    def __call__(self, kind: Any = None, value: Any = None, traceback: Any = None) -> None:
        recorder: Any = _referent(self)
        if recorder._recording:
            recorder._stop()


_referent = ref.__call__


def abandoned(recorders: Sequence[Any]) -> list[Any]:
    """Returns the recorders whose `with` statements are over."""
    return [r for r in recorders if getattr(r, "by_with", False) and not _held(r)]


def _held(recorder: Any) -> bool:
    # A loop, since an interrupt while Python ends a generator would be lost.
    for one in getweakrefs(recorder):  # noqa: SIM110
        if isinstance(one, RecordingExit):
            return True
    return False


class _Exit:
    """The exit of a `with` statement over a scope; leaves all blocks entered since its creation."""

    __slots__ = ("_depth", "_scope")

    def __init__(self, scope: Scope) -> None:
        self._depth = len(scope._entered)
        self._scope = scope

    def __call__(self, *error: object) -> None:
        within = len(self._scope._entered) - 1  # without a `with` statement: smaller than the depth
        self._scope._leave(min(self._depth, within))
        self.__class__ = _Called  # type: ignore[assignment]

    def __del__(self) -> None:
        if hasattr(self, "_scope"):  # otherwise, its construction was interrupted
            self._scope._give_up(self._depth)


class _Called:
    """An exit that was called, so that its deletion has no effect."""

    __slots__ = ("_depth", "_scope")


class Scope(ContextDecorator):
    """A `with` block in which some value is temporarily changed.

    A subclass reads and sets the value; setting it twice must be harmless. Blocks of one object may
    be nested.
    """

    def __init__(self) -> None:
        self._entered: list[Any] = []  # the old and the new value for each active block

    def _now(self) -> Any:
        """Returns the current value."""
        raise NotImplementedError(f"{type(self).__name__} does not implement `_now`")

    def _chosen(self) -> Any:
        """Returns the value for the block that begins."""
        raise NotImplementedError(f"{type(self).__name__} does not implement `_chosen`")

    def _put(self, there: Any) -> None:
        """Sets the value."""
        raise NotImplementedError(f"{type(self).__name__} does not implement `_put`")

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
        """Leaves a block that has ended, unless an outer block that ended has already done so."""
        if len(self._entered) > depth:
            if self._now() == self._entered[depth][1]:
                self._put(self._entered[depth][0])
            del self._entered[depth:]


class Setting(Scope):
    """A `with` block in which some value is temporarily changed.

    Args:
      now: Returns the current value.
      put: Sets the value; setting it twice is harmless.
      new: The value within the block.
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
