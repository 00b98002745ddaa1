"""The thread's stack of recorders, which watch the operations that run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar, Token
from typing import TYPE_CHECKING, Any, TypeVar

from gradtape._src.base.name_scope import next_id as next_id
from gradtape._src.base.scope_stacks import Setting, abandoned
from gradtape._src.core.tracebacks import shorten

if TYPE_CHECKING:
    from gradtape._src.core.primitive import Outputs, Primitive

T = TypeVar("T")


class Recorder:
    """An object that watches operations: a tape, an accumulator, a vectorizer, a compiler."""

    is_tape = False  # whether `Primitive`'s fast path may record for it without `process`
    defers = False  # whether it makes a graph, so that effects are delayed until the graph runs
    fills_in = False  # whether it does so for lengths that the signature leaves unknown
    process_under: Any = None  # if given, replaces `process`, for the tapes above it as well
    process_known: Any = None  # if given, returns the raw result of a usual operation, else None
    variable_type: Any = None  # if given, the class of variables made while it is active
    open_graph: Any = None  # the graph that stays open for more operations, if it makes one
    passive = False  # whether it watches only variables and random numbers
    pull_back: Any = None  # if given, replaces the function `pull_back` for a tape above it

    def process(self, primitive: Primitive, inputs: Sequence[Any], params: Any) -> Outputs:
        """Runs one operation, with only the recorders below this one active."""
        return primitive.bind(*inputs, **params)

    def custom(self, plan: Any, inputs: Sequence[Any], outputs: Sequence[Any]) -> None:
        """Handles a function with a custom gradient after its operations have run."""

    def _follows(self, value: Any) -> bool:
        """Whether this recorder follows a tensor or variable, and the values computed from it."""
        return False

    def variable_made(self, variable: Any) -> None:
        """Handles a new variable, if this recorder is the outermost one."""

    def variable_read(self, variable: Any) -> None:
        """Handles a read of a variable while this recorder is active."""

    def hold(self, variable: Any) -> None:
        """Prepares for an update of a variable that uses the variable's value."""

    def engine(self, stream: Any, draw_key: Any, make: Any = None) -> Any:
        """Returns the random generator to use in place of `make()`; None to use `make()`."""
        return None

    def variable_written(self, variable: Any) -> None:
        """Prepares for a change of a variable while this recorder is active."""


_tapes: ContextVar[tuple[Any, ...] | None] = ContextVar("tapes", default=())
_mixed: ContextVar[tuple[Any, ...]] = ContextVar("mixed", default=((), None, None, ()))

active_tapes = _tapes.get
"""Returns the recorders if all are tapes, else None; faster than a `threading.local`."""
mixed_recorders = _mixed.get
"""Returns all recorders, `process_known` and `process_under` of one, and the tapes above it."""


class _Stack:
    """The active recorders, outermost first; each thread and each asynchronous task has its own."""

    @property
    def recorders(self) -> tuple[Any, ...]:
        tapes = _tapes.get()
        return _mixed.get()[0] if tapes is None else tapes

    def set(self, recorders: tuple[Any, ...]) -> None:
        mixed = [r for r in recorders if not r.is_tape]
        if mixed:
            outer: Any = mixed[0] if mixed == [recorders[0]] else Recorder
            _mixed.set((recorders, outer.process_known, outer.process_under, recorders[1:]))
        elif _tapes.get() is None:
            _mixed.set(((), None, None, ()))  # a finished recorder would be kept alive
        _tapes.set(None if mixed else recorders)


STACK = _Stack()


def push(recorder: Recorder) -> Token[tuple[Any, ...] | None] | None:
    """Makes a recorder the innermost one of this thread; returns a token for a single tape."""
    if _tapes.get() == () and recorder.is_tape:
        return _tapes.set((recorder,))
    heal()
    STACK.set((*STACK.recorders, recorder))
    return None


def remove(recorder: Recorder) -> None:
    """Removes a recorder from this thread's stack, at whatever position."""
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
    """Returns a context manager with other recorders, which restores the previous ones."""
    return Setting(lambda: STACK.recorders, STACK.set, recorders)


def outside_of_traces(make: Callable[[], T]) -> T:
    """Calls a function that makes a variable's initial value, outside of any trace."""
    recorders = STACK.recorders
    with replaced(() if recorders and recorders[0].defers else recorders):
        return make()


def process(primitive: Primitive, inputs: Sequence[Any], params: dict[str, Any]) -> Outputs:
    """Passes an operation to the innermost recorder, with those below it active."""
    before, _, serve, tapes = _mixed.get()
    if serve is not None:
        out: Outputs = serve(tapes, primitive, inputs, params)
        return out
    try:  # like `replaced`, but without the cost of a context manager for every operation
        STACK.set(before[:-1])
        out = before[-1].process(primitive.check(inputs), inputs, params)
        STACK.set(before)
    except BaseException as error:  # an interrupt may come after the last statement above
        STACK.set(before)
        shorten(error)
        raise
    return out
