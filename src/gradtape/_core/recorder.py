"""The thread's stack of recorders: who watches the operations that run."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gradtape._core.primitive import Plan, Primitive
    from gradtape._core.tensor import Tensor

next_id = itertools.count(1).__next__
"""A number for a value that something differentiates; never given twice."""


class Recorder:
    """Someone who watches operations: a tape, an accumulator, a vectorizer, a compiler."""

    is_tape = False
    """Whether the straight path of `Primitive` may record for it without calling `process`."""

    def process(
        self, primitive: Primitive, inputs: Sequence[Tensor], params: dict[str, Any]
    ) -> Any:
        """Runs one operation; only the recorders below this one are active meanwhile."""
        return primitive.bind(*inputs, **params)

    def custom(self, plan: Plan, inputs: Sequence[Any], outputs: Sequence[Tensor]) -> None:
        """Is told of a function with a gradient of the user's, after its operations ran."""

    def variable_read(self, variable: Any) -> None:
        """Is told that a variable is read while this recorder is active."""

    def variable_written(self, variable: Any) -> None:
        """Is told that a variable is about to change while this recorder is active."""


class _Stack(threading.local):
    """The active recorders, outermost first."""

    recorders: tuple[Any, ...] = ()
    tapes: tuple[Any, ...] | None = ()
    """`recorders` where all of them are tapes, else None."""

    def set(self, recorders: tuple[Any, ...]) -> None:
        self.recorders = recorders
        self.tapes = recorders
        for r in recorders:
            if not r.is_tape:
                self.tapes = None


STACK = _Stack()


def push(recorder: Recorder) -> None:
    """Makes a recorder the innermost one of this thread."""
    STACK.set((*STACK.recorders, recorder))


def remove(recorder: Recorder) -> None:
    """Takes a recorder off this thread's stack, wherever in it it stands."""
    *below, top = STACK.recorders
    if top is recorder:
        STACK.set(tuple(below))
    else:
        STACK.set(tuple([r for r in STACK.recorders if r is not recorder]))


def below(recorder: Recorder) -> tuple[Any, ...]:
    """The recorders of this thread that stand below one of them."""
    return STACK.recorders[: STACK.recorders.index(recorder)]


@contextmanager
def replaced(recorders: tuple[Any, ...]) -> Iterator[None]:
    """Runs a block with other recorders, and puts back what was there before."""
    before = STACK.recorders
    STACK.set(recorders)
    try:
        yield
    finally:
        STACK.set(before)


def process(primitive: Primitive, inputs: Sequence[Tensor], params: dict[str, Any]) -> Any:
    """Hands an operation to the innermost recorder, with those below it active."""
    *below, top = STACK.recorders
    with replaced(tuple(below)):
        return top.process(primitive, inputs, params)
