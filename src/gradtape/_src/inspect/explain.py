"""`tape.explain(target, source)`: why a gradient is None."""

from __future__ import annotations

from collections.abc import Sequence
from types import FrameType
from typing import Any

import numpy as np

from gradtape._src.autodiff.arguments import inner_leaf
from gradtape._src.autodiff.tape import _NEW, _SPENT, GradientTape
from gradtape._src.base import nest
from gradtape._src.base.indexed_slices import IndexedSlices
from gradtape._src.core.primitive import Record
from gradtape._src.core.variable import Variable
from gradtape._src.inspect.cotangents import PullBack, pulled_back
from gradtape._src.inspect.explanation import Cause, Explanation, Step, TensorFacts
from gradtape._src.inspect.journal import Journal, journal_of
from gradtape._src.inspect.journal_causes import Reading
from gradtape._src.inspect.source_lines import Place, assignments, name_in, rebinds, user_frame
from gradtape._src.inspect.wording import mending, reason

_TURN_ON = (
    "to see the line at which the path is cut, run the block again inside `with "
    "tf.debugging.explanations():`."
)


def explain(
    tape: GradientTape, target: Any, source: Any
) -> Explanation | list[Any] | tuple[Any, ...] | dict[Any, Any]:
    """Implements the method `GradientTape.explain`."""
    frame = user_frame()
    if nest.is_nested(source):
        answers: list[Any] | tuple[Any, ...] | dict[Any, Any] = nest.map_structure(
            lambda x: _explain(tape, target, x, frame), source
        )
        return answers
    return _explain(tape, target, source, frame)


def _explain(tape: GradientTape, target: Any, source: Any, frame: FrameType | None) -> Explanation:
    x = inner_leaf(source)
    if x is None:
        raise TypeError(
            f"explain: source must be a tf.Tensor or tf.Variable, got {type(source).__name__}"
        )
    names = (_called(frame, target, "the target"), _called(frame, source, "the source", x))
    given = nest.flatten(target)
    targets = [y for y in map(inner_leaf, given) if y is not None]
    question = _Question(tape, targets, x, names, frame)
    if len(targets) < len(given):
        return question.no_tensor(given)
    return question.answer()


def _called(frame: FrameType | None, value: Any, otherwise: str, held: Any = None) -> str:
    """Returns the name of an object in the program."""
    if nest.is_nested(value):
        return otherwise
    name = name_in(frame, value)
    if name is None and isinstance(held, Variable):
        return held.name.removesuffix(":0")
    return name or otherwise


class _Question:
    """A target and a source whose gradient is explained."""

    def __init__(
        self,
        tape: GradientTape,
        targets: Sequence[Any],
        source: Any,
        names: tuple[str, str],
        frame: FrameType | None,
    ) -> None:
        self.tape, self.targets, self.source, self.frame = tape, targets, source, frame
        self.names = names
        self.journal: Journal | None = journal_of(tape)

    def answer(self) -> Explanation:
        """Explains from the records if possible, else from the journal, else from other facts."""
        if self.tape._state is _NEW:
            return self.build(Cause.TAPE_NEVER_ENTERED)
        if any(y is self.source or y._id == self.source._id != 0 for y in self.targets):
            return self.build(Cause.CONNECTED)
        if not self.source.dtype.differentiable:
            where = self.definition()
            return self.build(Cause.NOT_DIFFERENTIABLE_DTYPE, where, tensor=self.facts())
        if self.tape._state is not _SPENT:
            found = self.by_records()
            if found is not None:
                return found
        if self.journal is not None:
            return Reading(self.journal, self.tape, self.targets, self.source, self.names).answer()
        return self.spent() if self.tape._state is _SPENT else self.unconnected()

    def no_tensor(self, given: Sequence[Any]) -> Explanation:
        """Explains a target that is a Python number or array, which no tape can differentiate."""
        odd = next(y for y in given if inner_leaf(y) is None)
        if self.journal is not None:
            reading = Reading(self.journal, self.tape, [], self.source, self.names)
            reading.targets = [0]
            found = reading.by_numpy()
            if found is not None:
                return found
        where = self.definition(self.names[0])
        note = f"{self.names[0]} is of type {type(odd).__name__}, not a tensor."
        return self.build(
            Cause.NUMPY,
            where,
            notes=(note,),
            mend="compute the target with TensorFlow's functions.",
        )

    # Answers that use the tape's records.

    def by_records(self) -> Explanation | None:
        """Explains a source by computing cotangents from the records, if a path leads to it."""
        i = self.source._id
        if i not in self.tape.ids:
            return None
        records = _between(self.tape.records, i)
        made = {o for r in records for o in _outputs(r)}
        if made.isdisjoint(y._id for y in self.targets):
            return None
        found = pulled_back(records, self.targets)
        path = _path(records, i, {y._id for y in self.targets})
        if i in found.cotangents:
            notes = _remarks(found.cotangents[i])
            return self.build(Cause.CONNECTED, path=self.steps(path), notes=notes)
        return self.refused(found, path)

    def refused(self, found: PullBack, path: list[Record]) -> Explanation | None:
        """Explains a user's gradient function that returned None, from the records."""
        refusing = [r for r, _ in found.refused if r[0].always]
        if found.error is not None:
            record = found.error[1]
            cause = Cause.NO_GRADIENT_REGISTERED
        elif refusing:
            record = next((r for r in path if any(r is q for q in refusing)), refusing[0])
            cause = Cause.CUSTOM_GRADIENT
        else:
            return None
        where = self.place(record)
        before = path[: next((k for k, r in enumerate(path) if r is record), 0)]
        return self.build(
            cause,
            where,
            operation=record[0].primitive.name,
            path=self.steps(before),
            notes=() if self.journal is not None else (_TURN_ON,),
        )

    def steps(self, path: Sequence[Record]) -> tuple[Step, ...]:
        """Converts records to steps, with places if there is a journal."""
        return tuple(Step(r[0].primitive.name, "", self.place(r)) for r in path)

    def place(self, record: Record) -> Place | None:
        """Returns the place where a record's operation ran."""
        if self.journal is not None:
            outs = tuple(_outputs(record))
            for entry in self.journal.entries:
                if entry.ids == outs:
                    return Place.of(entry.site)
        return None

    def unconnected(self) -> Explanation:
        """Explains a source without a path to the target, from ids and the tape's state alone."""
        tape, x = self.tape, self.source
        if isinstance(x, Variable):
            if x._id not in tape._roots:
                return self.unwatched_variable(x)
        elif x._id not in tape.ids:
            return self.unwatched_tensor()
        tracked = [y for y in self.targets if y._id in tape.ids]
        if not tracked:
            facts = TensorFacts(
                self.names[0], tuple(self.targets[0]._value.shape), self.targets[0].dtype.name
            )
            if not self.targets[0].dtype.differentiable:
                return self.build(Cause.NOT_DIFFERENTIABLE_DTYPE, tensor=facts)
            return self.build(
                Cause.UNKNOWN,
                message=(
                    f"{self.names[0]} is a constant for this tape: it came from NumPy, "
                    "stop_gradient, an operation without a gradient, an integer dtype or a state "
                    "such as a variable, or it was computed while the tape did not record."
                ),
                tensor=facts,
                notes=self.dead_ends(),
            )
        return self.build(Cause.NO_PATH, notes=(*self.dead_ends(), self.roots(), _TURN_ON))

    def unwatched_variable(self, x: Variable) -> Explanation:
        """Explains a variable that the tape does not follow."""
        if not self.tape._watch_accessed_variables:
            return self.build(Cause.NOT_WATCHED_BY_CHOICE, self.definition())
        cause = Cause.NOT_READ if x.trainable else Cause.NOT_TRAINABLE
        return self.build(cause, self.definition(), notes=(self.roots(),))

    def unwatched_tensor(self) -> Explanation:
        """Explains a tensor that the tape does not follow."""
        replaced = self.replacement()
        if replaced is not None:
            return self.build(Cause.VARIABLE_REPLACED, replaced, tensor=self.facts())
        notes = (
            "if it was computed inside the block, then from nothing that the tape watches; "
            + _TURN_ON,
        )
        return self.build(Cause.NEVER_WATCHED, self.definition(), tensor=self.facts(), notes=notes)

    def spent(self) -> Explanation:
        """Explains after the records were released, from ids and roots."""
        tape, x = self.tape, self.source
        if isinstance(x, Variable) and x._id not in tape._variables:
            return self.unwatched_variable(x)
        late = all(x._id > y._id for y in self.targets)  # the largest id when `gradient` was called
        apart = late or not x._id or not tape._roots or self.replacement() is not None
        if not isinstance(x, Variable) and x._id not in tape._roots and apart:
            return self.unwatched_tensor()
        return self.build(Cause.TAPE_USED, notes=(self.roots(),))

    def roots(self) -> str:
        """Describes the variables that the tape watched."""
        names = [v.name.removesuffix(":0") for v in self.tape.watched_variables()]
        return "the tape watched " + (", ".join(names[:12]) or "no variable") + "."

    def dead_ends(self) -> tuple[str, ...]:
        """Returns the results that were computed from the source and that no record uses."""
        records = _between(self.tape.records, self.source._id)
        used = {i for r in self.tape.records for i in r[2]}
        ends = [r[0].primitive.name for r in records if used.isdisjoint(_outputs(r))]
        if not ends:
            return (f"no operation on the tape uses {self.names[1]}.",)
        shown = ", ".join(dict.fromkeys(ends))
        return (f"on the tape, the path from {self.names[1]} ends at the result of {shown}.",)

    def definition(self, name: str = "") -> Place | None:
        """Returns the place where the program binds the source's name."""
        name = name or self.names[1]
        if self.frame is None or not name.isidentifier():
            return None
        found = assignments(self.frame, name)
        return found[-1][0] if found else None

    def replacement(self) -> Place | None:
        """Returns the place where the program replaces a variable by a tensor."""
        if self.frame is None or not self.names[1].isidentifier():
            return None
        found = assignments(self.frame, self.names[1])
        if not any("Variable(" in place.source for place, _ in found):
            return None
        for place, _ in reversed(found):
            if rebinds(place) == self.names[1] or "Variable(" in place.source:
                return place
        return None

    def facts(self) -> TensorFacts:
        """Returns the known facts about the source."""
        x = self.source
        return TensorFacts(self.names[1], tuple(x._value.shape), x.dtype.name)

    def build(
        self,
        cause: Cause,
        where: Place | None = None,
        *,
        message: str = "",
        mend: str = "",
        **facts: Any,
    ) -> Explanation:
        """Builds the explanation from a cause and its details."""
        target, source = self.names
        words = message or reason(
            cause, target, source, facts.get("operation", ""), facts.get("tensor"), where, ""
        )
        mend = mend or mending(cause, source, where, "")
        return Explanation(cause, target, source, words, mend, where, **facts)


def _outputs(record: Record) -> tuple[int, ...]:
    out = record[1]
    return out if type(out) is tuple else (out,)


def _between(records: Sequence[Record], source: int) -> list[Record]:
    """Returns the records of values that were computed from the source."""
    live, kept = {source}, []
    for record in records:
        if not live.isdisjoint(record[2]):
            live.update(o for o in _outputs(record) if o)
            kept.append(record)
    return kept


def _path(records: Sequence[Record], source: int, targets: set[int]) -> list[Record]:
    """Returns the records on a path from the source to a target."""
    maker = {o: r for r in records for o in _outputs(r)}
    path: list[Record] = []
    at = next(t for t in targets if t in maker)
    while at != source and at in maker:
        record = maker[at]
        path.append(record)
        at = next(i for i in record[2] if i == source or i in maker)
    return path[::-1]


def _remarks(g: Any) -> tuple[str, ...]:
    """Returns remarks about a suspicious gradient that is not None."""
    value = np.asarray(g.values if isinstance(g, IndexedSlices) else g)
    if not value.size or value.dtype.kind not in "fcV":
        return ()
    finite = np.isfinite(value)
    if not finite.all():
        odd = f"{int((~finite).sum())} of its {value.size} elements are not finite"
        return (
            f"{odd}: tf.debugging.enable_check_numerics() finds the operation that caused this.",
        )
    if not value.any():
        return ("it is zero everywhere.",)
    return (f"its norm is {float(np.sqrt((np.abs(value.astype(complex)) ** 2).sum())):.4g}.",)
