"""The mode that records what a program does with its tensors, for explanations.

A journal holds one entry, with the line of the user's program, for each operation, each assignment
and each value passed to NumPy (an "escape"). It holds weak references to tensors and no values, and
it is bounded: the oldest entries are dropped first.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import logging
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gradtape._src.autodiff.tape import GradientTape
from gradtape._src.base import name_scope
from gradtape._src.base.dtypes import dtype_of
from gradtape._src.base.export import export
from gradtape._src.core.primitive import Outputs, Plan, Primitive, Record
from gradtape._src.core.recorder import STACK
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.inspect import watchers
from gradtape._src.inspect.source_lines import Site, functions_around, site
from gradtape._src.inspect.watchers import TappedPlan, Watcher

_log = logging.getLogger("tensorflow")
LIMIT = 100_000
_HINT = (
    "Every gradient is None. `tape.explain(target, source)` explains why, with the line at which "
    "the path from source to target was cut."
)


@dataclass(slots=True, eq=False, repr=False)
class Node:
    """A tensor or variable in the journal.

    Attributes:
      number: The journal's time when it was first seen.
      origin: "op", "variable", "constant" (its creation was not seen), or "copy" (a constant with
        the same data as another node, from a dataset or queue for example).
    """

    number: int
    shape: tuple[int, ...]
    dtype: Any
    origin: str
    site: Site | None
    name: str = ""
    trainable: bool = True
    copy_of: int = 0
    ref: Any = None
    value: float | None = None  # the value, for a scalar constant


@dataclass(slots=True, eq=False, repr=False)
class Entry:
    """An event in the journal.

    Attributes:
      number: The journal's time.
      kind: "op", "custom" (a function with the user's gradient), "assign" or "escape".
      op: The operation's name; for an escape, the method.
      inputs, outputs: Nodes; an assignment's output is the variable.
      tracked: The bit mask of inputs that have a derivative rule.
      active: The tapes that were recording.
      followed: For each active tape that recorded the operation, the bit mask of the inputs that it
        follows.
      ids: The outputs' ids on the tapes.
      scope: The name scope.
      functions: The program's functions in which it ran, the outermost first.
    """

    number: int
    kind: str
    op: str
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    site: Site | None
    tracked: int = -1
    active: tuple[int, ...] = ()
    followed: dict[int, int] = field(default_factory=dict)
    ids: tuple[int, ...] = ()
    scope: str = ""
    functions: tuple[str, ...] = ()


@dataclass(slots=True, eq=False, repr=False)
class TapeNotes:
    """The journal's notes on one tape: its number and its events."""

    number: int
    events: list[TapeEvent] = field(default_factory=list)


@dataclass(slots=True, eq=False, repr=False)
class TapeEvent:
    """An event in the life of a tape.

    Attributes:
      number: The time of the event.
      kind: "start", "stop", "pause" (by `stop_recording`), "reset", "watch" (of `node`) or
        "gradient".
      site: The place in the program.
      node: The watched node.
      functions: The program's functions in which it ran, the outermost first.
    """

    number: int
    kind: str
    site: Site | None
    node: int = 0
    functions: tuple[str, ...] = ()


class Journal:
    """A journal of operations, assignments and escapes; see the module's docstring."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.entries: deque[Entry] = deque()
        self.nodes: dict[int, Node] = {}
        self.dropped = 0
        self.tapes: weakref.WeakKeyDictionary[GradientTape, TapeNotes]
        self.tapes = weakref.WeakKeyDictionary()
        self.refused: set[tuple[Any, int]] = set()  # (ids of a custom gradient's outputs, input)
        self._time = itertools.count(1).__next__
        self._objects: dict[int, tuple[Any, int]] = {}  # id(tensor) -> (weak reference, node)
        self._variables: dict[int, int] = {}  # a variable's id -> node
        self._data: dict[int, int] = {}  # id(raw array) -> node

    def node(self, x: Any, where: Site | None = None) -> int:
        """Returns the number of a tensor or variable, and assigns a new one if necessary."""
        known = self.find(x)
        if known:
            return known
        if isinstance(x, Variable):
            return self._variable(x)
        where = where or site()
        value = x._value
        twin = self._data.get(id(value)) or self._data.get(id(getattr(value, "base", None)))
        number = self._new(x, "copy" if twin else "constant", where)
        node = self.nodes[number]
        node.copy_of = twin or 0
        if not node.shape and node.dtype.is_floating:
            node.value = float(np.asarray(value)) if isinstance(value, np.generic) else None
        return number

    def find(self, x: Any) -> int:
        """Returns the number of a tensor or variable; 0 if it is unknown."""
        if x._id in self._variables:
            return self._variables[x._id]
        held = self._objects.get(id(x))
        return held[1] if held is not None and held[0]() is x else 0

    def variable(self, i: int) -> int:
        """Returns the number of the variable with an id; 0 if it is unknown."""
        return self._variables.get(i, 0)

    def _new(self, x: Tensor, origin: str, where: Site | None) -> int:
        number, key, value = self._time(), id(x), x._value
        data = id(value) if isinstance(value, (np.ndarray, np.generic)) else 0

        def forget(_: Any) -> None:
            self._objects.pop(key, None)
            if self._data.get(data) == number:
                del self._data[data]
            if self.entries and number < self.entries[0].number:
                self.nodes.pop(number, None)

        self._objects[key] = weakref.ref(x, forget), number
        if data:
            self._data.setdefault(data, number)
        self.nodes[number] = Node(
            number, tuple(value.shape), dtype_of(value), origin, where, ref=self._objects[key][0]
        )
        return number

    def _variable(self, v: Variable) -> int:
        number = self._time()
        self._variables[v._id] = number
        if isinstance(v._value, np.ndarray):
            self._data.setdefault(id(v._value), number)
        self.nodes[number] = Node(
            number,
            tuple(v.shape),
            v.dtype,
            "variable",
            site(),
            v.name,
            v.trainable,
            0,
            weakref.ref(v),
        )
        return number

    def add(
        self, kind: str, op: str, inputs: Sequence[int], outputs: Sequence[Any], **facts: Any
    ) -> Entry:
        """Appends an entry; `outputs` are tensors or node numbers."""
        number, where = self._time(), facts.pop("site", None) or site()
        nodes = tuple(
            [o if type(o) is int else self.find(o) or self._new(o, "op", where) for o in outputs]
        )
        entry = Entry(number, kind, op, tuple(inputs), nodes, where, **facts)
        entry.scope, entry.functions = name_scope.current(), functions_around()
        self.entries.append(entry)
        if len(self.entries) > self.limit:
            old = self.entries.popleft()
            self.dropped += 1
            for gone in old.outputs:
                node = self.nodes.get(gone)
                if node is not None and node.ref() is None:
                    del self.nodes[gone]
        return entry

    def notes(self, tape: GradientTape) -> TapeNotes:
        """Returns the notes on a tape."""
        known = self.tapes.get(tape)
        if known is None:
            known = self.tapes[tape] = TapeNotes(self._time())
        return known

    def event(self, tape: GradientTape, kind: str, node: int = 0) -> None:
        """Records an event of a tape."""
        event = TapeEvent(self._time(), kind, site(), node, functions_around())
        self.notes(tape).events.append(event)


class Observer(Watcher):
    """A watcher that writes the journal."""

    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        self._hinted: set[Any] = set()

    def process(
        self, primitive: Primitive, inputs: Sequence[Tensor], params: dict[str, Any]
    ) -> Outputs:
        if self not in watchers.active():
            return primitive.bind(*inputs, **params)
        journal = self.journal
        tapes = [t for t in STACK.recorders if isinstance(t, GradientTape)]
        where = site()
        nodes = [journal.node(x, where) for x in inputs]
        masks = [sum(1 << i for i, x in enumerate(inputs) if x._id in t.ids) for t in tapes]
        out = primitive.bind(*inputs, **params)
        outs = out if isinstance(out, tuple) else (out,)
        numbers = [journal.notes(t).number for t in tapes]
        journal.add(
            "op",
            primitive.name,
            nodes,
            outs,
            site=where,
            tracked=primitive.tracked,
            active=tuple(numbers),
            followed={
                n: mask & primitive.tracked
                for n, mask, t in zip(numbers, masks, tapes, strict=True)
                if mask & primitive.tracked and any(o._id in t.ids for o in outs)
            },
            ids=tuple([o._id for o in outs]),
        )
        return out

    def custom(self, plan: Plan, inputs: Sequence[Any], outputs: Sequence[Tensor]) -> None:
        tapes = [t for t in STACK.recorders if isinstance(t, GradientTape)]
        given = [x for x in inputs if isinstance(x, (Tensor, Variable))]
        numbers = [self.journal.notes(t).number for t in tapes]
        masks = [sum(1 << i for i, x in enumerate(given) if x._id in t.ids) for t in tapes]
        self.journal.add(
            "custom",
            plan.primitive.name,
            [self.journal.node(x) for x in given],
            outputs,
            active=tuple(numbers),
            followed={n: mask for n, mask in zip(numbers, masks, strict=True) if mask},
            ids=tuple([y._id for y in outputs]),
        )

    def variable_read(self, variable: Variable) -> None:
        self.journal.node(variable)

    def tape_started(self, tape: GradientTape) -> None:
        self.journal.event(tape, "start")

    def tape_stopped(self, tape: GradientTape, paused: bool) -> None:
        self.journal.event(tape, "pause" if paused else "stop")

    def tape_reset(self, tape: GradientTape) -> None:
        self.journal.event(tape, "reset")

    def tape_watched(self, tape: GradientTape, value: Any) -> None:
        self.journal.event(tape, "watch", node=self.journal.node(value))

    def tape_differentiated(self, tape: GradientTape, answers: list[Any]) -> None:
        self.journal.event(tape, "gradient")
        where = site()
        key = None if where is None else (where[0].co_filename, where[2])
        if answers and all(g is None for g in answers) and key not in self._hinted:
            self._hinted.add(key)
            _log.warning(_HINT)

    def pulling(self, records: list[Record]) -> None:
        for k, record in enumerate(records):
            if record[0].always:
                around = functools.partial(self._refusals, record[1])
                records[k] = TappedPlan(record[0], around), *record[1:]

    def _refusals(
        self, out: Any, vjp: Callable[..., Any], g: Any, ids: Any, saved: Any, static: Any
    ) -> Any:
        """Records the inputs for which a user's gradient function returned None."""
        dxs = list(vjp(g, ids, saved, static))
        outs = out if type(out) is tuple else (out,)
        missing = [i for i, x in enumerate(ids) if x and (i >= len(dxs) or dxs[i] is None)]
        self.journal.refused.update((outs, i) for i in missing)
        return dxs

    def escaped(self, value: Any, how: str) -> None:
        self.journal.add("escape", how, [self.journal.node(value)], ())

    def assigned(self, variable: Variable, value: Any) -> None:
        journal = self.journal
        journal.add("assign", "assign", [journal.node(value)], [journal.node(variable)])


_observer: Observer | None = None
_journals: weakref.WeakKeyDictionary[GradientTape, Journal] = weakref.WeakKeyDictionary()


def journal_of(tape: GradientTape) -> Journal | None:
    """Returns the journal that was written while a tape recorded, or None."""
    if _observer is not None and tape in _observer.journal.tapes:
        return _observer.journal
    return _journals.get(tape)


def functions_at_start(journal: Journal, tape: GradientTape) -> int:
    """Returns how many of the program's functions were running when a tape began to record.

    Args:
      journal: The journal.
      tape: The tape.
    """
    events = journal.notes(tape).events
    return next((len(e.functions) for e in events if e.kind == "start"), 0)


@export("debugging.enable_explanations")
def enable_explanations(limit: int = LIMIT) -> None:
    """Records operations with their lines from now on, so that `tape.explain` can name them.

    Each operation then takes some tens of microseconds longer. Calling it again starts a new
    journal.

    Args:
      limit: The maximum number of recorded operations.

    Raises:
      ValueError: `limit` is not positive.
    """
    global _observer  # noqa: PLW0603 (a mode of the process)
    if limit < 1:
        raise ValueError(f"enable_explanations: limit must be at least 1, got {limit}")
    disable_explanations()
    _observer = Observer(Journal(limit))
    watchers.start(_observer)


@export("debugging.disable_explanations")
def disable_explanations() -> None:
    """Ends the mode of `enable_explanations`; tapes recorded before can still explain."""
    global _observer  # noqa: PLW0603
    if _observer is None:
        return
    watchers.stop(_observer)
    for tape in list(_observer.journal.tapes):
        _journals[tape] = _observer.journal
    _observer = None


@export("debugging.explanations")
@contextlib.contextmanager
def explanations(limit: int = LIMIT) -> Iterator[None]:
    """A `with` block (or decorator) that records operations; see `enable_explanations`.

    Args:
      limit: The maximum number of recorded operations.

    Returns:
      A context manager.

    >>> x = tf.Variable(2.0)
    >>> with tf.debugging.explanations():
    ...     with tf.GradientTape() as tape:
    ...         y = tf.stop_gradient(x * x)
    >>> tape.explain(y, x).cause.name
    'STOP_GRADIENT'
    """
    enable_explanations(limit)
    try:
        yield
    finally:
        disable_explanations()
