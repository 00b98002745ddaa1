"""Finds the reason for a gradient that is None in a journal."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from gradtape._src.autodiff.tape import GradientTape
from gradtape._src.core.variable import Variable
from gradtape._src.inspect.explanation import Cause, Explanation, Step, TensorFacts
from gradtape._src.inspect.journal import Entry, Journal, Node, TapeEvent
from gradtape._src.inspect.source_lines import Place, assigned_name, rebinds, statement_at
from gradtape._src.inspect.wording import dependencies, mending, numpy_mending, reason, way_out
from gradtape._src.ops.elementwise.identities import stop_gradient_p

_DECIDES = ("__bool__", "__int__", "__index__")


@dataclass(eq=False, repr=False)
class Cut:
    """The end of a path: an entry, and the input at which the path ends."""

    cause: Cause
    entry: Entry
    position: int
    where: Place | None


class Reading:
    """Searches a journal for the cause of one gradient that is None.

    Args:
      journal: The journal.
      tape: The tape that computed the gradient.
      targets: The tensors that were differentiated.
      source: The tensor or variable whose gradient is None.
      names: The names of target and source in the program.
    """

    def __init__(
        self,
        journal: Journal,
        tape: GradientTape,
        targets: Iterable[Any],
        source: Any,
        names: tuple[str, str],
    ) -> None:
        self.journal, self.tape, self.object = journal, tape, source
        self.target_name, self.source_name = names
        notes = journal.notes(tape)
        self.number, self.events = notes.number, notes.events
        self.entries = list(journal.entries)
        self.nodes = journal.nodes
        self.source = journal.find(source)
        self.targets = [journal.find(y) for y in targets]
        self.maker = {o: e for e in self.entries if e.kind != "assign" for o in e.outputs}
        self.before: dict[int, tuple[Entry, int]] = {}  # node -> (entry that made it, from node)

    def needed(self, *, through_assignments: bool) -> tuple[list[Entry], set[int]]:
        """Returns the entries on which the targets depend, and all nodes among their inputs.

        With `through_assignments`, it also follows assignments, and data that came back as new
        tensors.
        """
        want = {t for t in self.targets if t}
        kept = []
        for entry in reversed(self.entries):
            if entry.kind == "escape" or (entry.kind == "assign" and not through_assignments):
                continue
            if not want.isdisjoint(entry.outputs):
                want.update(entry.inputs)
                if through_assignments:
                    want.update(self.nodes[i].copy_of for i in entry.inputs if i in self.nodes)
                kept.append(entry)
        if through_assignments:
            want.update(self.nodes[i].copy_of for i in list(want) if i in self.nodes)
        want.discard(0)
        return kept[::-1], want

    def descendants(self) -> set[int]:
        """Returns all nodes that were computed from the source, also by assignment."""
        reached = {self.source}
        for entry in self.entries:
            if not reached.isdisjoint(entry.inputs):
                reached.update(entry.outputs)
        return reached

    def cuts(self, needed: list[Entry]) -> tuple[bool, bool, list[Cut]]:
        """Follows the source through entries.

        Returns:
          Whether a path leads to a target, whether the tape followed one of the paths completely,
          and the cuts of the others.
        """
        reached, live = {self.source}, {self.source}
        found = []
        for entry in needed:
            hits = [i for i, n in enumerate(entry.inputs) if n in reached]
            if not hits:
                continue
            followed = [i for i in hits if entry.inputs[i] in live]
            for o in entry.outputs:
                if o not in reached:
                    self.before[o] = entry, entry.inputs[(followed or hits)[0]]
            reached.update(entry.outputs)
            if not followed:
                continue
            causes = [self.cause_of(entry, i) for i in followed]
            if None in causes:
                live.update(o for o, i in zip(entry.outputs, entry.ids, strict=False) if i)
            else:
                cause, where = causes[0] or (Cause.UNKNOWN, None)
                found.append(Cut(cause, entry, followed[0], where))
        targets = set(self.targets)
        return not reached.isdisjoint(targets), not live.isdisjoint(targets), found

    # Reasons why the tape does not follow an input.

    def cause_of(self, entry: Entry, position: int) -> tuple[Cause, Place | None] | None:
        """Returns the reason why the tape did not follow an input through an entry, or None."""
        here = Place.of(entry.site)
        if (entry.ids, position) in self.journal.refused:
            return Cause.CUSTOM_GRADIENT, here
        reset = self.last("reset")
        if entry.followed.get(self.number, 0) >> position & 1:
            if reset is None or reset.number < entry.number:
                return None
            return Cause.TAPE_RESET, Place.of(reset.site)
        if not entry.tracked >> position & 1:
            if entry.op == stop_gradient_p.primitive.name:
                return Cause.STOP_GRADIENT, here
            return Cause.NOT_DIFFERENTIABLE_OPERATION, here
        outs = [self.nodes[o] for o in entry.outputs if o in self.nodes]
        if outs and not any(o.dtype.differentiable for o in outs):
            return Cause.NOT_DIFFERENTIABLE_DTYPE, here
        if self.number not in entry.active:
            pause = self.last("pause", before=entry.number)
            start = self.last("start", before=entry.number)
            if pause and start and pause.number > start.number:
                return Cause.STOP_RECORDING, here
            return Cause.OUTSIDE_TAPE, here
        return self.unfollowed(entry.inputs[position], entry, here)

    def unfollowed(
        self, number: int, entry: Entry, here: Place | None
    ) -> tuple[Cause, Place | None]:
        """Returns the reason why a recording tape did not follow a node."""
        watch = next((e for e in self.events if e.kind == "watch" and e.node == number), None)
        reset = self.last("reset", before=entry.number)
        if reset is not None and (number != self.source or (watch and watch.number < reset.number)):
            return Cause.TAPE_RESET, Place.of(reset.site)
        node = self.nodes.get(number)
        if node is not None and node.origin == "variable":
            if not self.tape._watch_accessed_variables:
                return Cause.NOT_WATCHED_BY_CHOICE, here
            if not node.trainable:
                return Cause.NOT_TRAINABLE, here
            return Cause.OUTSIDE_TAPE, self.first_use(number) or here
        if watch is not None and watch.number > entry.number:
            return Cause.WATCHED_LATE, here
        maker = self.maker.get(number)
        if maker is not None and self.number not in maker.active:
            made = Place.of(maker.site)
            if made is not None and (rebinds(made) or self.has_variable(maker)):
                return Cause.VARIABLE_REPLACED, made
        return Cause.NEVER_WATCHED, here

    def first_use(self, number: int) -> Place | None:
        """Returns the place where a variable was used without this tape."""
        for entry in self.entries:
            if number in entry.inputs and self.number not in entry.active:
                return Place.of(entry.site)
        return None

    def has_variable(self, entry: Entry) -> bool:
        """Whether an operation read a variable."""
        found = (self.nodes.get(i) for i in entry.inputs)
        return any(n is not None and n.origin == "variable" for n in found)

    def began(self) -> int:
        """Returns the time when the tape began to record."""
        return next((e.number for e in self.events if e.kind == "start"), 0)

    def last(self, kind: str, before: float = float("inf")) -> TapeEvent | None:
        """Returns the tape's last event of a kind."""
        return next(
            (e for e in reversed(self.events) if e.kind == kind and e.number < before), None
        )

    def answer(self) -> Explanation:
        """Returns the explanation that the journal gives."""
        needed, nodes = self.needed(through_assignments=False)
        if self.source:
            there, connected, cuts = self.cuts(needed)
            if connected:
                return self.build(Cause.CONNECTED, None, path=self.path(self.reached_target()))
            if there and cuts:
                return self.from_cuts(cuts)
            roundabout = self.by_state() or self.by_numpy() or self.by_decision()
            if roundabout is not None:
                return roundabout
        return self.no_path(nodes)

    def reached_target(self) -> int:
        """Returns a target that depends on the source."""
        return next((t for t in self.targets if t in self.before), self.source)

    def from_cuts(self, cuts: list[Cut]) -> Explanation:
        """Returns the first cut, with notes of the others."""
        main = cuts[0]
        seen = {(main.cause, main.where)}
        notes = []
        for cut in cuts[1:]:
            if (cut.cause, cut.where) not in seen:
                seen.add((cut.cause, cut.where))
                at = "" if cut.where is None else f" at {cut.where}: `{cut.where.source.strip()}`"
                notes.append(f"another path is cut{at} ({cut.cause.value}).")
        number = main.entry.inputs[main.position]
        if main.cause is Cause.NOT_DIFFERENTIABLE_DTYPE:
            number = main.entry.outputs[0]
        return self.build(
            main.cause,
            main.where,
            operation=main.entry.op,
            tensor=self.facts(number),
            path=self.path(main.entry.inputs[main.position]),
            notes=tuple(notes),
        )

    def by_state(self) -> Explanation | None:
        """Explains a path through an assignment, or through data that came back as new tensors."""
        needed, _ = self.needed(through_assignments=True)
        reached = {self.source}
        for entry in needed:
            copied = [
                i for i in entry.inputs if i in self.nodes and self.nodes[i].copy_of in reached
            ]
            if copied and self.escape_of({self.nodes[copied[0]].copy_of}, entry.number) is None:
                return self.through_state(entry, copied[0], self.nodes[copied[0]].copy_of, "")
            hit = next((n for n in entry.inputs if n in reached), 0)
            if hit and entry.kind == "assign":
                name = self.name(entry.outputs[0])
                return self.through_state(entry, hit, hit, name)
            if hit:
                for o in entry.outputs:
                    self.before.setdefault(o, (entry, hit))
                reached.update(entry.outputs)
        for t in self.targets:
            node = self.nodes.get(t)
            if node is not None and node.copy_of in reached:
                return self.build(Cause.STATE, Place.of(node.site), tensor=self.facts(t))
        return None

    def through_state(self, entry: Entry, number: int, start: int, variable: str) -> Explanation:
        """Explains a path through one assignment, or one tensor that came back as a new tensor."""
        return self.build(
            Cause.STATE,
            Place.of(entry.site),
            operation=entry.op if variable else "",
            tensor=self.facts(number),
            path=self.path(start),
            state=variable,
        )

    # Escapes to NumPy.

    def escape_of(self, nodes: set[int], before: float) -> Entry | None:
        """Returns the last escape to NumPy of any of these nodes before a time."""
        return next(
            (
                e
                for e in reversed(self.entries)
                if e.kind == "escape"
                and e.number < before
                and e.op not in _DECIDES
                and e.inputs[0] in nodes
            ),
            None,
        )

    def suspects(self) -> Iterator[tuple[float, Place | None]]:
        """Returns the times and places at which constants entered the target's computation.

        Literal numbers in the program are left out.
        """
        needed, _ = self.needed(through_assignments=False)
        for entry in reversed(needed):
            for n in entry.inputs:
                node = self.nodes.get(n)
                if node is not None and node.origin in ("constant", "copy"):
                    place = Place.of(entry.site)
                    if not _is_literal(node, place):
                        yield entry.number, place
        if any(not t or self.nodes[t].origin in ("constant", "copy") for t in self.targets):
            yield float("inf"), None

    def by_numpy(self) -> Explanation | None:
        """Explains a path through NumPy, which came back as a constant."""
        family = self.descendants()
        likely = None
        for time, place in self.suspects():
            for entry in reversed(self.entries):
                if entry.kind != "escape" or entry.number > time or entry.op in _DECIDES:
                    continue
                if entry.inputs[0] not in family:
                    continue
                sure = self.led_to(Place.of(entry.site), place)
                if sure or (likely is None and entry.number > self.began()):
                    likely = entry, sure
                if sure:
                    break
            if likely and likely[1]:
                break
        if likely is None:
            return None
        entry, sure = likely
        where = Place.of(entry.site)
        self.reach_all()
        return self.build(
            Cause.NUMPY,
            where,
            operation=way_out(where, entry.op),
            tensor=self.facts(entry.inputs[0]),
            path=self.path(entry.inputs[0]),
            certain=sure,
            mend=numpy_mending(where),
        )

    def led_to(self, escape: Place | None, use: Place | None) -> bool:
        """Whether the name bound at the escape is used in the statement of the constant."""
        if escape is None:
            return False
        name = assigned_name(escape)
        if use is None:
            return name == self.target_name
        if (use.file, use.line) == (escape.file, escape.line):
            return True
        statement = statement_at(use)
        return name is not None and statement is not None and name in _names(statement)

    def by_decision(self) -> Explanation | None:
        """Explains a Python decision that depends on the source."""
        family = self.descendants()
        for entry in reversed(self.entries):
            if entry.number < self.began():
                break
            if entry.kind == "escape" and entry.op in _DECIDES and entry.inputs[0] in family:
                return self.build(
                    Cause.CONTROL_FLOW,
                    Place.of(entry.site),
                    tensor=self.facts(self.source),
                    certain=False,
                    notes=(dependencies(self.target_name, self.roots()),),
                )
        return None

    def no_path(self, nodes: set[int]) -> Explanation:
        """Explains a target that depends on other sources, but not on this one."""
        cause = Cause.NO_PATH
        met = [t for t in self.targets if t]
        if self.source and met and self.source > max(met):
            cause = Cause.MADE_AFTER
        notes = [dependencies(self.target_name, self.roots())]
        maker = self.maker.get(self.source)
        shared = [n for n in (maker.inputs if maker else ()) if n in nodes]
        if shared:
            made = Place.of(maker.site) if maker else None
            at = "" if made is None else f" ({made}: `{made.source.strip()}`)"
            notes.append(
                f"{self.source_name} was computed from {self.name(shared[0])}{at}, and so was "
                f"{self.target_name}, but not from {self.source_name}: ask for the gradient with "
                f"respect to {self.name(shared[0])}."
            )
        where = Place.of(self.nodes[self.source].site) if cause is Cause.MADE_AFTER else None
        if cause is Cause.NO_PATH and met:
            last = self.maker.get(met[0])
            where = Place.of(last.site) if last is not None else None
        return self.build(cause, where, notes=tuple(notes))

    def roots(self) -> list[str]:
        """Returns the names of the watched sources on which the target depends."""
        _, nodes = self.needed(through_assignments=False)
        watched = {e.node for e in self.events if e.kind == "watch"}
        names = []
        for n in sorted(nodes):
            node = self.nodes.get(n)
            if node is not None and (node.origin == "variable" or n in watched):
                other = n != self.source and self.name(n) == self.source_name
                names.append(self.name(n) + " (another one of that name)" * other)
        return names

    # Names and paths.

    def name(self, number: int) -> str:
        """Returns the program's name for a node, or "" if it is unknown."""
        if number == self.source:
            return self.source_name
        if number in self.targets:
            return self.target_name
        node = self.nodes.get(number)
        if node is not None and node.origin == "variable":
            return node.name.removesuffix(":0")
        maker = self.maker.get(number)
        place = None if maker is None else Place.of(maker.site)
        if maker is None or place is None:
            return ""
        for entry in self.entries:  # only the last operation of a statement gets its name
            if number in entry.inputs and entry.kind != "escape":
                other = Place.of(entry.site)
                if other is not None and (other.file, other.line) == (place.file, place.line):
                    return ""
        return assigned_name(place) or ""

    def facts(self, number: int) -> TensorFacts | None:
        """Returns the known facts about a node."""
        node = self.nodes.get(number)
        if node is None:
            return None
        return TensorFacts(self.name(number), node.shape, node.dtype.name)

    def reach_all(self) -> None:
        """Finds the path from the source to each node."""
        reached = {self.source}
        for entry in self.entries:
            hit = next((n for n in entry.inputs if n in reached), 0)
            if hit:
                for o in entry.outputs:
                    self.before.setdefault(o, (entry, hit))
                reached.update(entry.outputs)

    def path(self, number: int) -> tuple[Step, ...]:
        """Returns the operations from the source to a node."""
        steps: list[Step] = []
        while number != self.source and number in self.before and len(steps) < 10_000:
            entry, origin = self.before[number]
            steps.append(Step(entry.op, self.name(number), Place.of(entry.site)))
            number = origin
        return tuple(steps[::-1])

    def build(
        self, cause: Cause, where: Place | None, *, state: str = "", mend: str = "", **facts: Any
    ) -> Explanation:
        """Makes an explanation from a cause and its details."""
        tensor, operation = facts.get("tensor"), facts.get("operation", "")
        notes = facts.pop("notes", ())
        if self.journal.dropped:
            forgotten = (
                f"the oldest {self.journal.dropped} operations were dropped from the journal: pass "
                "a larger limit to enable_explanations."
            )
            notes = (*notes, forgotten)
        is_variable = isinstance(self.object, Variable)
        words = reason(cause, self.target_name, self.source_name, operation, tensor, where, state)
        mend = mend or mending(cause, self.source_name, where, state, is_variable=is_variable)
        return Explanation(
            cause,
            self.target_name,
            self.source_name,
            words,
            mend,
            where,
            notes=tuple(n for n in notes if n),
            **facts,
        )


def decides(entry: Entry) -> bool:
    """Whether a value left the tape only as a truth value or index."""
    return entry.op in _DECIDES


def _names(statement: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(statement) if isinstance(n, ast.Name)}


def _is_literal(node: Node, place: Place | None) -> bool:
    """Whether a constant is a literal number in the statement that uses it."""
    statement = None if place is None else statement_at(place)
    if statement is None or node.value is None:
        return False
    return any(
        isinstance(n, ast.Constant)
        and isinstance(n.value, (int, float))
        and abs(float(n.value) - abs(node.value)) <= 1e-6 * abs(float(n.value))
        for n in ast.walk(statement)
    )
