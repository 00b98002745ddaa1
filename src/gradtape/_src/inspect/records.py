"""A tape's records as a graph: operations, values, their shapes, and the bytes they hold."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gradtape._src.autodiff.tape import GradientTape
from gradtape._src.core.primitive import Record
from gradtape._src.declare.general import General
from gradtape._src.declare.pointwise import Binary, Unary
from gradtape._src.inspect.journal import Journal, functions_at_start, journal_of
from gradtape._src.inspect.scopes import Calls, assign_scopes
from gradtape._src.inspect.source_lines import Place

_LETTERS = {"x": "x", "o": "out"}
_SMALL = 1 << 18
Fact = tuple[tuple[int, ...], str]
"""A shape and a dtype."""


def outputs(record: Record) -> tuple[int, ...]:
    """Returns the ids of a record's outputs; 0 stands for an output without an id."""
    out = record[1]
    return out if type(out) is tuple else (out,)


def kept_names(record: Record) -> list[str]:
    """Returns the names of the tensors that a record keeps, as in the operation's rules."""
    plan, _, ids, saved, _ = record
    primitive = plan.primitive
    if isinstance(primitive, Unary):
        return [_LETTERS[letter] for letter in primitive.kept]
    if isinstance(primitive, Binary):
        masks = sorted(range(1, 4), key=lambda m: m != sum(1 << i for i, x in enumerate(ids) if x))
        return next((list(k) for m in masks if len(k := primitive.kept(m)) == len(saved)), [])
    tensors = getattr(plan, "tensors", None)
    if isinstance(primitive, General) and tensors is not None and not primitive.variadic:
        names = ["out" if i < 0 else primitive.inputs[i] for i in tensors]
        if len(names) == len(saved):
            return names
    return [f"kept {i}" for i in range(len(saved))]


@dataclass(eq=False, repr=False)
class Value:
    """A root of a tape: a variable or a watched tensor.

    Attributes:
      id: Its id on the tape.
      kind: "variable" or "watched".
      norm: The gradient's norm, if gradients were computed and one reached the value.
      state: "" or, if gradients were computed, "none" or "nonfinite".
    """

    id: int
    kind: str
    name: str
    shape: tuple[int, ...] | None = None
    dtype: str = ""
    norm: float | None = None
    state: str = ""


@dataclass(eq=False, repr=False)
class Operation:
    """One record.

    Attributes:
      number: Its index on the tape.
      name: The operation.
      inputs, outputs: Ids.
      shape, dtype: The shape and dtype of the first result, if known.
      bytes: The bytes that it holds, without those of earlier records and of variables.
      scope: The layers, name scopes and functions around it, joined by "/".
      calls: Like `scope`; each entry also has a number that differs between calls.
      place: The line, if explanations are on.
      norm: The norm of the gradient that reached it, if gradients were computed.
      state: "" or, if gradients were computed, "none", "nonfinite", or "side" if the target does
        not depend on it.
      cut: The reason why gradients stop here; "" if they do not.
      fault: The reason why non-finite numbers begin here; "" if they do not.
    """

    number: int
    name: str
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    shape: tuple[int, ...] | None = None
    dtype: str = ""
    bytes: int = 0
    scope: str = ""
    calls: Calls = ()
    place: Place | None = None
    norm: float | None = None
    state: str = ""
    cut: str = ""
    fault: str = ""


@dataclass(eq=False, repr=False)
class Recording:
    """The records of a tape.

    Attributes:
      values: The roots that are used, by id.
      operations: The records, in order.
      targets: The ids of targets, if gradients were computed.
      facts: The known shapes and dtypes, by id.
      shown: The records as pictures show them, with operations before a target that the tape did
        not record.
    """

    values: dict[int, Value]
    operations: list[Operation]
    targets: tuple[int, ...] = ()
    facts: dict[int, Fact] = field(default_factory=dict)
    shown: list[Operation] = field(default_factory=list)

    @property
    def bytes(self) -> int:
        """The bytes that the tape holds, without those of variables."""
        return sum(op.bytes for op in self.operations)


def read(tape: GradientTape) -> Recording:
    """Reads a tape."""
    records = tape.records
    journal = journal_of(tape)
    facts = _facts(tape, records, journal)
    used = {i for r in records for i in r[2]}
    values = {}
    for i in sorted(tape._roots):
        variable = tape._variables.get(i)
        shape, dtype = facts.get(i, (None, ""))
        if variable is not None:
            values[i] = Value(i, "variable", variable.name.removesuffix(":0"), shape, dtype)
        elif i in used:
            values[i] = Value(i, "watched", _watched_name(journal, i), shape, dtype)
    places = _places(journal, tape)
    held = {id(v._value) for v in tape._variables.values()}
    operations = []
    for number, record in enumerate(records):
        plan, _, ids, saved, _ = record
        outs = outputs(record)
        shape, dtype = facts.get(next((o for o in outs if o), 0), (None, ""))
        operation = Operation(
            number, plan.primitive.name, tuple(i for i in ids if i), outs, shape, dtype
        )
        operation.bytes = sum(_new_bytes(x, held) for x in saved)
        operation.place, operation.calls = places.get(outs, (None, ()))
        operations.append(operation)
    assign_scopes(operations, values)
    return Recording(values, operations, (), facts, list(operations))


def _places(
    journal: Journal | None, tape: GradientTape
) -> dict[tuple[int, ...], tuple[Place | None, Calls]]:
    """Returns the places of operations and the functions around them, by their outputs' ids."""
    if journal is None:
        return {}
    depth = functions_at_start(journal, tape)
    return {
        e.ids: (Place.of(e.site), tuple((name, 0) for name in e.functions[depth:]))
        for e in journal.entries
        if e.ids
    }


def _watched_name(journal: Journal | None, i: int) -> str:
    return "watched tensor"


def _new_bytes(x: Any, held: set[int]) -> int:
    """Returns the bytes of a kept tensor that were not counted yet."""
    value = x._value
    base = value.base if hasattr(type(value), "base") else None  # a symbolic value would be asked
    if id(value) in held or (base is not None and id(base) in held):
        return 0
    held.add(id(value))
    if base is not None:
        held.add(id(base))
    size = getattr(value, "nbytes", 0)
    return size if type(size) is int else 0  # a symbolic length has no value


# Shapes. A record does not keep the shape of its result; the shape is inferred from the kept
# values.


def _facts(
    tape: GradientTape, records: Sequence[Record], journal: Journal | None
) -> dict[int, Fact]:
    """Infers shapes and dtypes by id from variables, kept tensors and facts of rules."""
    facts: dict[int, Fact] = {}

    def learn(i: int, fact: Fact) -> None:
        if i and not facts.get(i, (None, ""))[1]:
            facts[i] = fact

    for i, v in tape._variables.items():
        learn(i, (tuple(v.shape), v.dtype.name))
    for o, fact in _journalled(journal):
        learn(o, fact)
    for x in (x for record in records for x in record[3]):
        learn(x._id, (tuple(x._value.shape), x.dtype.name))
    for _ in range(2):  # the second pass uses facts that were found backward
        for record in (*records, *reversed(records)):
            for i, inferred in _inferred(record, facts):
                learn(i, inferred)
    return facts


def _journalled(journal: Journal | None) -> Iterator[tuple[int, Fact]]:
    """Yields the facts about results in a journal."""
    for e in () if journal is None else journal.entries:
        for o, node in zip(e.ids, e.outputs, strict=False):
            known = journal.nodes.get(node) if journal is not None else None
            if known is not None:
                yield o, (known.shape, known.dtype.name)


def _inferred(record: Record, facts: dict[int, Fact]) -> Iterator[tuple[int, Fact]]:
    """Yields the facts about inputs and outputs that follow from a record alone."""
    plan, out, ids, _, static = record
    primitive = plan.primitive
    dtype = next((facts[i][1] for i in (*outputs(record), *ids) if i in facts), "")
    if isinstance(primitive, Unary):
        yield from ((i, facts[j]) for i, j in ((out, ids[0]), (ids[0], out)) if j in facts)
    elif isinstance(primitive, Binary):
        if static is not None:
            yield out, (tuple(np.broadcast_shapes(*static)), dtype)
            yield from ((i, (tuple(s), dtype)) for i, s in zip(ids, static, strict=True))
        else:
            shape = next((facts[i][0] for i in (out, *ids) if i in facts), None)
            if shape is not None:
                yield from ((i, (shape, dtype)) for i in (out, *ids))
    else:
        yield from _general(record, dtype, facts)


def _general(record: Record, dtype: str, facts: dict[int, Fact]) -> Iterator[tuple[int, Fact]]:
    """Yields the facts that follow from the shapes and dtypes that a rule needs."""
    plan, out, ids, saved, static = record
    primitive = plan.primitive
    places = getattr(plan, "places", None)
    if not isinstance(primitive, General) or places is None or primitive.variadic or not static:
        return
    known = {n: p - len(plan.tensors) for n, p in places.items()}  # type: ignore[attr-defined]
    for name, at in known.items():
        stem, _, what = name.rpartition("_")
        if what == "shape" and 0 <= at < len(static[0]):
            if stem != "out":
                yield ids[primitive.inputs.index(stem)], (tuple(static[0][at]), dtype)
            elif type(out) is not tuple:
                yield out, (tuple(static[0][at]), dtype)
    kept = {n: x._value for n, x in zip(kept_names(record), saved, strict=False)}
    given: list[Any] = []
    for name, i in zip(primitive.inputs, ids, strict=False):
        if facts.get(i, (None, ""))[1]:
            given.append(np.broadcast_to(np.zeros((), facts[i][1]), facts[i][0]))
        elif name in kept:
            given.append(np.broadcast_to(np.zeros((), kept[name].dtype), kept[name].shape))
    outs = outputs(record)
    if not any(o in facts for o in outs) and len(given) == len(primitive.inputs):
        yield from _shapes_from_zeros(primitive, given, static[1], outs)


def _shapes_from_zeros(
    primitive: General, given: Sequence[Any], params: dict[str, Any], outs: Sequence[int]
) -> Iterator[tuple[int, Fact]]:
    """Yields the result's shape, found by a run on zeros if that is fast."""
    if sum(x.size for x in given) <= _SMALL:
        with contextlib.suppress(Exception), np.errstate(all="ignore"):
            result = primitive.kernel(*given, **params)
            results = result if type(result) is tuple else (result,)
            for o, value in zip(outs, results, strict=True):
                yield o, (tuple(value.shape), value.dtype.name)
