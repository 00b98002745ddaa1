"""The thread's stack of recorders: who watches the operations that run."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from contextvars import ContextVar, Token
from typing import TYPE_CHECKING, Any, TypeVar

from gradtape._src.base.scope_stacks import Setting, abandoned

if TYPE_CHECKING:
    from gradtape._src.core.primitive import Outputs, Primitive

T = TypeVar("T")

next_id = itertools.count(1).__next__
"""A number for a value that something differentiates; never given twice."""


class Recorder:
    """Someone who watches operations: a tape, an accumulator, a vectorizer, a compiler."""

    is_tape = False  # whether `Primitive`'s straight path may record for it without `process`
    defers = False  # whether it makes a graph: effects wait until that runs
    process_under: Any = None  # as `process`, for the tapes above this one, too, if it can do that
    variable_type: Any = None  # the class of variables that are made here; None: `Variable`
    open_graph: Any = None  # the graph that stays open for more operations, where it makes one
    passive = False  # whether variables and random numbers are all that it is told of

    def process(self, primitive: Primitive, inputs: Sequence[Any], params: Any) -> Outputs:
        """Runs one operation; only the recorders below this one are active meanwhile."""
        return primitive.bind(*inputs, **params)

    def custom(self, plan: Any, inputs: Sequence[Any], outputs: Sequence[Any]) -> None:
        """Is told of a function with a gradient of the user's, after its operations ran."""

    def variable_made(self, variable: Any) -> None:
        """Is told of a new variable, if this recorder is the outermost one."""

    def variable_read(self, variable: Any) -> None:
        """Is told that a variable is read while this recorder is active."""

    def hold(self, variable: Any) -> None:
        """Is told that a variable's value is about to be used for an update of it."""

    def engine(self, stream: Any, draw_key: Any, make: Any = None) -> Any:
        """A generator in the place of NumPy's, which `make` gives; None: this one has none."""
        return None

    def variable_written(self, variable: Any) -> None:
        """Is told that a variable is about to change while this recorder is active."""


_tapes: ContextVar[tuple[Any, ...] | None] = ContextVar("tapes", default=())
_Mixed = tuple[tuple[Any, ...], "Callable[..., Outputs] | None", tuple[Any, ...]]
_NONE: _Mixed = ((), None, ())
_mixed: ContextVar[_Mixed] = ContextVar("mixed", default=_NONE)  # all, `process_under`, its tapes

active_tapes = _tapes.get
"""The recorders if all are tapes, else None; faster than what a `threading.local` holds."""


class _Stack:
    """The active recorders, outermost first; each thread and each asynchronous task has its own."""

    @property
    def recorders(self) -> tuple[Any, ...]:
        tapes = _tapes.get()
        return _mixed.get()[0] if tapes is None else tapes

    def set(self, recorders: tuple[Any, ...]) -> None:
        mixed = [r for r in recorders if not r.is_tape]
        if mixed:
            serve = mixed[0].process_under if mixed == [recorders[0]] else None
            _mixed.set((recorders, serve, recorders[1:]))
        elif _tapes.get() is None:
            _mixed.set(_NONE)  # what is over would be kept alive
        _tapes.set(None if mixed else recorders)


STACK = _Stack()


def push(recorder: Recorder) -> Token[tuple[Any, ...] | None] | None:
    """Makes a recorder the innermost one of this thread; a token if it is a tape and alone."""
    if _tapes.get() == () and recorder.is_tape:
        return _tapes.set((recorder,))
    heal()
    STACK.set((*STACK.recorders, recorder))
    return None


def remove(recorder: Recorder) -> None:
    """Takes a recorder off this thread's stack, wherever in it it stands."""
    tapes = _tapes.get()
    if tapes and tapes[-1] is recorder:
        _tapes.set(tapes[:-1])
    else:
        STACK.set(tuple([r for r in STACK.recorders if r is not recorder]))


def heal() -> None:
    """Removes recorders whose `with` statement was ended by an interrupt."""
    if _tapes.get() != ():
        for r in abandoned(STACK.recorders):
            remove(r)
            r._recording = False


def replaced(recorders: tuple[Any, ...]) -> Setting:
    """Runs a block with other recorders, and puts back what was there before."""
    return Setting(lambda: STACK.recorders, STACK.set, recorders)


def outside_of_traces(make: Callable[[], T]) -> T:
    """Calls what makes the first value of a variable: at once, also if a graph is made."""
    recorders = STACK.recorders
    with replaced(() if recorders and recorders[0].defers else recorders):
        return make()


def process(primitive: Primitive, inputs: Sequence[Any], params: dict[str, Any]) -> Outputs:
    """Hands an operation to the innermost recorder, with those below it active."""
    before, serve, tapes = _mixed.get()
    if serve is not None:
        return serve(tapes, primitive, inputs, params)
    try:  # what `replaced` does, without a scope for every operation
        STACK.set(before[:-1])
        out: Outputs = before[-1].process(primitive.check(inputs), inputs, params)
        STACK.set(before)
    except BaseException:  # an interrupt, perhaps, of what is the last thing above
        STACK.set(before)
        raise
    return out
