"""The places where gradients stop on the way to a target, for pictures of tapes.

No record of a tape shows what happened to a value between its escape from the tape and its return.
If explanations were on, the journal shows it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from gradtape._src.autodiff.tape import GradientTape
from gradtape._src.inspect.explanation import Cause
from gradtape._src.inspect.journal import Entry, functions_at_start, journal_of
from gradtape._src.inspect.journal_causes import Reading, decides
from gradtape._src.inspect.records import Operation, Recording
from gradtape._src.inspect.scopes import Calls
from gradtape._src.inspect.source_lines import Place
from gradtape._src.inspect.wording import way_out

_SHORT = {
    Cause.NUMPY: "leaves for NumPy or Python",
    Cause.STATE: "assigned to a variable",
    Cause.STOP_GRADIENT: "counts as a constant",
    Cause.NOT_DIFFERENTIABLE_DTYPE: "a dtype without gradients",
    Cause.NOT_DIFFERENTIABLE_OPERATION: "no derivative",
    Cause.STOP_RECORDING: "the tape was paused",
    Cause.OUTSIDE_TAPE: "the tape did not record",
}


@dataclass(eq=False, repr=False)
class _Cut:
    """One place where gradients stop.

    Attributes:
      entry: The event in the journal.
      inputs: The input nodes of the journal that the tape follows.
      title: The operation.
      reason: The cause in a few words.
      mark: The id that the result gets in the picture.
      condition: Whether the result is a truth value, which has no gradient anyway.
    """

    entry: Entry
    inputs: list[int]
    title: str
    reason: str
    mark: int
    condition: bool = False


@dataclass(eq=False, repr=False)
class _Search:
    """Finds the cuts between the sources of a tape and its targets."""

    reading: Reading
    recording: Recording
    cuts: list[_Cut] = field(default_factory=list)
    live: set[int] = field(default_factory=set)
    returned: defaultdict[float, list[int]] = field(default_factory=lambda: defaultdict(list))

    def __post_init__(self) -> None:
        began = self.reading.began()
        needed, _ = self.reading.needed(through_assignments=True)
        self.needed = [e for e in needed if e.number > began]
        self.began = began

    def run(self) -> None:
        """Adds cuts to the recording."""
        self._follow()
        self._numpy()
        marked = self._marks()
        self._insert()
        ends = {m for t in self.reading.targets for m in marked[t]} | {*self.returned[float("inf")]}
        made = {o for op in self.recording.operations for o in op.outputs}
        if made.isdisjoint(self.recording.targets):
            name = self.reading.target_name
            calls: Calls = ()
            end = Operation(_unused(self.recording), name, tuple(sorted(ends)), ())
            end.calls, end.cut = calls, "no gradient reaches the tape"
            self.recording.shown.append(end)

    def _add(self, entry: Entry, inputs: Sequence[int], title: str, reason: str) -> int:
        mark = -1 - len(self.cuts)
        self.cuts.append(_Cut(entry, list(inputs), title, reason, mark))
        return mark

    def _follow(self) -> None:
        """Follows values that the tape follows, up to the points at which it loses them."""
        self.live.update(self._roots())
        for entry in self.reading.entries:
            if entry.number > self.began and entry.followed.get(self.reading.number):
                self.live.update(o for o, i in zip(entry.outputs, entry.ids, strict=False) if i)
        for entry in self.needed:
            hits = [i for i, n in enumerate(entry.inputs) if n in self.live]
            if not hits:
                continue
            if entry.kind == "assign":
                name = self.reading.name(entry.outputs[0])
                reason = _SHORT[Cause.STATE]
                self._add(entry, [entry.inputs[i] for i in hits], f"assign {name}", reason)
                continue
            causes = [self.reading.cause_of(entry, i) for i in hits]
            if None not in causes and causes[0] is not None:
                cause = causes[0][0]
                reason = _SHORT.get(cause, cause.value)
                self._add(entry, [entry.inputs[i] for i in hits], entry.op, reason)
                outs = [self.reading.nodes[o] for o in entry.outputs if o in self.reading.nodes]
                self.cuts[-1].condition = bool(outs) and all(o.dtype.is_bool for o in outs)

    def _roots(self) -> dict[int, int]:
        """Returns the tape's variables and watched tensors: their nodes in the journal, and ids."""
        journal, nodes = self.reading.journal, self.reading.nodes
        found = {journal.variable(i): i for i in self.recording.values}
        for event in self.reading.events:
            held = nodes[event.node].ref() if event.node in nodes else None
            if held is not None:
                found[event.node] = held._id
        return {node: i for node, i in found.items() if node}

    def _numpy(self) -> None:
        """Finds values that left for NumPy and came back as constants."""
        escapes = [
            e
            for e in self.reading.entries
            if e.kind == "escape"
            and e.number > self.began
            and not decides(e)
            and e.inputs[0] in self.live
        ]
        suspects = [s for s in self.reading.suspects() if s[0] > self.began]
        pairs = [
            (e, time, self.reading.led_to(Place.of(e.site), place))
            for e in escapes
            for time, place in suspects
            if e.number < time
        ]
        sure = [(e, time) for e, time, known in pairs if known]
        if not sure and all(c.condition for c in self.cuts) and pairs:
            sure = [pairs[-1][:2]]
        marks: dict[tuple[Place | None, int], int] = {}
        for e, time in sure:
            where = Place.of(e.site)
            key = where, e.inputs[0]
            if key not in marks:
                title = way_out(where, e.op)
                marks[key] = self._add(e, e.inputs, title, _SHORT[Cause.NUMPY])
            self.returned[time].append(marks[key])

    def _marks(self) -> defaultdict[int, set[int]]:
        """Connects the results of cuts to the records that use them."""
        marked: defaultdict[int, set[int]] = defaultdict(set)
        of_entry = {id(c.entry): c.mark for c in self.cuts}
        records = {op.outputs: op for op in self.recording.operations}
        for entry in self.needed:
            come = {m for n in entry.inputs for m in self._marks_of(n, marked)}
            come.update(self.returned.get(entry.number, ()))
            if id(entry) in of_entry:
                come = {of_entry[id(entry)]}
            record = records.get(entry.ids) if entry.ids else None
            if record is not None:
                record.inputs = (*record.inputs, *sorted(come - {*record.inputs}))
            else:
                for o in entry.outputs:
                    marked[o] |= come
        for t in self.reading.targets:
            marked[t] |= self._marks_of(t, marked)
        return marked

    def _marks_of(self, number: int, marked: defaultdict[int, set[int]]) -> set[int]:
        node = self.reading.nodes.get(number)
        of_copy = set() if node is None or not node.copy_of else marked[node.copy_of]
        return marked[number] | of_copy

    def _insert(self) -> None:
        """Puts the cuts among the records, in the order of time."""
        ids_of: dict[int, int] = {}
        time_of: dict[tuple[int, ...], int] = {}
        for e in self.reading.entries:
            ids_of.update(zip(e.outputs, e.ids, strict=False))
            if e.ids:
                time_of[e.ids] = e.number
        ids_of.update(self._roots())
        shown = self.recording.shown
        depth = functions_at_start(self.reading.journal, self.reading.tape)
        for cut in sorted(self.cuts, key=lambda c: c.entry.number):
            at = next(
                (k for k, op in enumerate(shown)
                 if time_of.get(op.outputs, -1) > cut.entry.number), len(shown),
            )  # fmt: skip
            inputs = tuple(i for i in (ids_of.get(n, 0) for n in cut.inputs) if i)
            op = Operation(_unused(self.recording), cut.title, inputs, (cut.mark,))
            op.cut, op.place = "" if cut.condition else cut.reason, Place.of(cut.entry.site)
            op.state = "side" if cut.condition else ""
            op.calls = _calls(cut.entry, shown[max(0, at - 1) : at + 1], depth)
            shown.insert(at, op)


def _unused(recording: Recording) -> int:
    return -1 - sum(op.number < 0 for op in recording.shown)


def _calls(entry: Entry, near: Sequence[Operation], depth: int) -> Calls:
    """Returns the scopes of a cut, which are those of its neighbours."""
    names = [n for n in entry.scope.split("/") if n] or list(entry.functions[depth:])
    for op in near:
        if [name for name, _ in op.calls][: len(names)] == names:
            return op.calls[: len(names)]
    return tuple((name, -entry.number) for name in names)


def add_cuts(
    tape: GradientTape, recording: Recording, targets: Sequence[Any], name: str
) -> Iterator[str]:
    """Adds the cuts on the way to the targets to a recording.

    Args:
      tape: The tape.
      recording: Its records; `shown` and the inputs of operations change.
      targets: The targets.
      name: Their name in the program.

    Yields:
      Remarks for the picture's caption.
    """
    journal = journal_of(tape)
    if journal is not None and targets:
        _Search(Reading(journal, tape, targets, targets[0], (name, "")), recording).run()
        return
    made = {o for op in recording.operations for o in op.outputs}
    if not made.isdisjoint(y._id for y in targets) or not recording.operations:
        return
    end = Operation(_unused(recording), name, (), (), cut="is on no tape")
    recording.shown.append(end)
    yield "record inside tf.debugging.explanations() to see where the gradient stops"
