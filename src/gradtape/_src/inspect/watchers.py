"""The base of modes that the user turns on: recorders that get more events than a tape.

While no mode is on, nothing is installed, so that recording has no overhead. The first mode wraps a
few functions of the engine, which it declares as wrappable, in functions that notify every active
watcher; the end of the last mode restores them.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from gradtape._src.autodiff import jacobian as jacobian_module
from gradtape._src.autodiff import tape as tape_module
from gradtape._src.autodiff.arguments import inner_leaf, leaf
from gradtape._src.autodiff.exits import TapeExit
from gradtape._src.autodiff.tape import GradientTape
from gradtape._src.base import nest
from gradtape._src.base.scope_stacks import ExitOf, RecordingExit
from gradtape._src.core import recorder
from gradtape._src.core.extension_point import Wrappings
from gradtape._src.core.primitive import Plan, Record
from gradtape._src.core.recorder import STACK, Recorder
from gradtape._src.core.tensor import Tensor, TensorLike
from gradtape._src.core.variable import Variable

_LOCK = threading.RLock()
_active: tuple[Watcher, ...] = ()
_wrappings = Wrappings()


class Watcher(Recorder):
    """A recorder above the tapes that is notified of their events."""

    def tape_started(self, tape: GradientTape) -> None:
        """Handles a tape's start or resumption of recording."""

    def tape_stopped(self, tape: GradientTape, paused: bool) -> None:
        """Handles a tape's end of recording, or its pause by `stop_recording`."""

    def tape_reset(self, tape: GradientTape) -> None:
        """Handles the reset of a tape."""

    def tape_watched(self, tape: GradientTape, value: Any) -> None:
        """Handles a tensor or variable passed to `watch`."""

    def tape_differentiated(self, tape: GradientTape, answers: list[Any]) -> None:
        """Handles the result of `gradient`."""

    def escaped(self, value: Any, how: str) -> None:
        """Handles a tensor's or variable's value that is passed to NumPy or Python.

        Args:
          value: The tensor or variable.
          how: The method that was called on it, or ARGUMENT.
        """

    def assigned(self, variable: Variable, value: Any) -> None:
        """Handles a value that is about to be assigned."""

    def pulling(self, records: list[Record]) -> None:
        """Handles records before they are differentiated; may replace records in the list."""


class TappedPlan(Plan):
    """A plan that calls `around(vjp, g, ids, saved, static)` in place of its `vjp`."""

    def __init__(self, plan: Plan, around: Callable[..., Any]) -> None:
        def tapped(vjp: Callable[..., Any]) -> Callable[..., Any]:
            return functools.partial(around, vjp)

        super().__init__(
            plan.primitive,
            plan.keep,
            tapped(plan.vjp),
            plan.jvp,
            vjp_raw=tapped(plan.vjp_raw),
            sparse=plan.sparse,
            always=plan.always,
        )


class _NotedExit(TapeExit):
    """An exit that always calls `_stop`, which notifies the watchers."""

    __slots__ = ()
    __call__ = RecordingExit.__call__


def active() -> tuple[Watcher, ...]:
    """Returns the watchers that are on."""
    return _active


def start(watcher: Watcher) -> None:
    """Turns a mode on: in this thread now, and in other threads when they enter a tape."""
    global _active  # noqa: PLW0603 (a mode of the process)
    with _LOCK:
        if not _active:
            _install()
        _active = (*_active, watcher)
    recorder.push(watcher)


def stop(watcher: Watcher) -> None:
    """Turns a mode off."""
    global _active  # noqa: PLW0603
    with _LOCK:
        _active = tuple([w for w in _active if w is not watcher])
        if not _active:
            _wrappings.undo()
    if watcher in STACK.recorders:
        recorder.remove(watcher)


def raise_to_top() -> None:
    """Moves the watchers above the tapes of this thread, so that they see what a tape tracks."""
    others = [r for r in STACK.recorders if not isinstance(r, Watcher)]
    STACK.set((*others, *_active))


def _install() -> None:
    """Wraps the functions for events of tapes, escaping values, assignments and pull-backs."""
    wrap = _wrappings.wrap
    wrap(GradientTape, "__enter__", _entering)
    wrap(GradientTape, "__exit__", lambda _: ExitOf(_NotedExit))
    wrap(GradientTape, "_stop", _stopping)
    wrap(GradientTape, "reset", _resetting)
    wrap(GradientTape, "watch", _watching)
    wrap(GradientTape, "gradient", _differentiating)
    wrap(Tensor, "_numpy", _escaping)
    for owner, names in _WAYS.items():
        for name in names:
            wrap(owner, name, functools.partial(_leaving, how=name))
    for name in ("__repr__", "__str__", "__format__"):
        wrap(Tensor, name, functools.partial(_leaving, how=_SHOWN))
    wrap(Variable, "_numpy", functools.partial(_leaving, how=ARGUMENT))
    wrap(Variable, "_incoming", _assigning)
    for module in (tape_module, jacobian_module):
        wrap(module, "pull_back", _pulling)


Function = Callable[..., Any]


def _entering(original: Function) -> Function:
    def enter(self: GradientTape) -> GradientTape:
        original(self)
        for watcher in _active:
            watcher.tape_started(self)
        raise_to_top()
        return self

    return enter


def _stopping(original: Function) -> Function:
    def _stop(self: GradientTape, paused: bool = False) -> None:
        original(self, paused)
        for watcher in _active:
            watcher.tape_stopped(self, paused)
        for gone in STACK.recorders:  # the watcher's mode ended while another thread recorded
            if isinstance(gone, Watcher) and gone not in _active:
                recorder.remove(gone)

    return _stop


def _resetting(original: Function) -> Function:
    def reset(self: GradientTape) -> None:
        original(self)
        for watcher in _active:
            watcher.tape_reset(self)

    return reset


def _watching(original: Function) -> Function:
    def watch(self: GradientTape, tensor: Any) -> None:
        original(self, tensor)
        for x in nest.flatten(tensor):
            held = inner_leaf(x)
            for watcher in _active:
                watcher.tape_watched(self, held)

    return watch


def _differentiating(original: Function) -> Function:
    def gradient(self: GradientTape, *args: Any, **kwargs: Any) -> Any:
        answer = original(self, *args, **kwargs)
        for watcher in _active:
            watcher.tape_differentiated(self, nest.flatten(answer))
        return answer

    return gradient


ARGUMENT = "argument"
"""Stands for an escape in which an operation needs the value of an argument: a shape, an axis or an
index."""
_SHOWN = ""  # methods that only show a value; these are no escapes
_WAYS: dict[type, tuple[str, ...]] = {
    TensorLike: ("__int__", "__float__", "__complex__", "__index__"),
    Tensor: ("numpy", "to_numpy", "__array__", "__bool__"),
    Variable: ("numpy", "to_numpy", "__array__", "__bool__"),
}
_way: ContextVar[tuple[str, Variable | None] | None] = ContextVar("way", default=None)
"""The method that is converting a value, and the variable on which it was called."""


def _leaving(original: Function, how: str) -> Function:
    @functools.wraps(original)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        if _way.get() is not None:  # the outermost method is the one that the user called
            return original(self, *args, **kwargs)
        token = _way.set((how, self if isinstance(self, Variable) else None))
        try:
            return original(self, *args, **kwargs)
        finally:
            _way.reset(token)

    return method


def _escaping(original: Function) -> Function:
    def _numpy(self: Tensor) -> Any:
        how, variable = _way.get() or (ARGUMENT, None)
        if how != _SHOWN:
            for watcher in _active:
                watcher.escaped(self if variable is None else variable, how)
        return original(self)

    return _numpy


def _assigning(original: Function) -> Function:
    def _incoming(self: Variable, value: Any) -> Any:
        held = leaf(value)
        if held is not None:
            for watcher in _active:
                watcher.assigned(self, held)
        return original(self, value)

    return _incoming


def _pulling(original: Function) -> Function:
    def pull_back(records: list[Record], *args: Any, **kwargs: Any) -> Any:
        for watcher in _active:
            watcher.pulling(records)
        return original(records, *args, **kwargs)

    return pull_back
