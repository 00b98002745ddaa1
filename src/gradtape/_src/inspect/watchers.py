"""Modes that the user turns on: recorders that are told more than a tape is.

While no mode is on nothing is installed, so that recording costs what it always costs. With the
first one, a few functions of the engine, which declares them as wrappable, are wrapped in ones that
tell every active watcher; with the last one's end they come back.
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
    """A recorder that stands on top of the tapes and is told what happens to them."""

    def tape_started(self, tape: GradientTape) -> None:
        """Is told that a tape begins, or goes on, to record."""

    def tape_stopped(self, tape: GradientTape, paused: bool) -> None:
        """Is told that a tape does not record any more, or not while `stop_recording` holds."""

    def tape_reset(self, tape: GradientTape) -> None:
        """Is told that a tape forgot everything."""

    def tape_watched(self, tape: GradientTape, value: Any) -> None:
        """Is told of a tensor or variable given to `watch`."""

    def tape_differentiated(self, tape: GradientTape, answers: list[Any]) -> None:
        """Is told what `gradient` answered."""

    def escaped(self, value: Any, how: str) -> None:
        """Is told that a tensor's or variable's value goes to NumPy or Python.

        Args:
          value: The tensor or variable.
          how: The method that was called on it, or ARGUMENT.
        """

    def assigned(self, variable: Variable, value: Any) -> None:
        """Is told what is about to be assigned."""

    def pulling(self, records: list[Record]) -> None:
        """May replace records in the list, before cotangents are pulled through them."""


class TappedPlan(Plan):
    """A plan whose pull-back goes through a function: `around(vjp, g, ids, saved, static)`."""

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
    """An exit that always goes by `_stop`, which tells the watchers."""

    __slots__ = ()
    __call__ = RecordingExit.__call__


def active() -> tuple[Watcher, ...]:
    """Returns the watchers that are on."""
    return _active


def start(watcher: Watcher) -> None:
    """Turns a mode on, in this thread at once and in others when they enter a tape."""
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
    """Puts the watchers above the tapes of this thread, so that they see what a tape tracks."""
    others = [r for r in STACK.recorders if not isinstance(r, Watcher)]
    STACK.set((*others, *_active))


def _install() -> None:
    """Wraps what tells of tapes, escaping values, assignments and pull-backs."""
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
        for gone in STACK.recorders:  # of a mode that ended while another thread recorded
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
"""The way in which a value leaves that an operation must know: a shape, an axis, an index."""
_SHOWN = ""  # how a value leaves that is only shown: nobody is told
_WAYS: dict[type, tuple[str, ...]] = {
    TensorLike: ("__int__", "__float__", "__complex__", "__index__"),
    Tensor: ("numpy", "to_numpy", "__array__", "__bool__"),
    Variable: ("numpy", "to_numpy", "__array__", "__bool__"),
}
_way: ContextVar[tuple[str, Variable | None] | None] = ContextVar("way", default=None)
"""The method by which a value leaves just now, and the variable on which it was called."""


def _leaving(original: Function, how: str) -> Function:
    @functools.wraps(original)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        if _way.get() is not None:  # the method that was called first is the user's
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
