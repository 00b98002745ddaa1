"""Finds the operation at which non-finite numbers begin, as far as records show it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradtape._src.core.primitive import Record
from gradtape._src.core.variable import Variable
from gradtape._src.declare.structural import reduce_sum_p
from gradtape._src.declare.traits import Hazard, traits_of
from gradtape._src.inspect import traps
from gradtape._src.inspect.finiteness import finite, masked, raw
from gradtape._src.inspect.records import Operation, Recording, kept_names, outputs
from gradtape._src.inspect.traps import MENDING, Operand, Trap
from gradtape._src.ops.elementwise.arithmetic import mul_p
from gradtape._src.ops.elementwise.powers import pow_p, square_p, squared_difference_p
from gradtape._src.ops.elementwise.selection import select_p
from gradtape._src.ops.reduce.reductions import reduce_mean_p

_SQUARES = {p.primitive.name for p in (square_p, squared_difference_p, pow_p)}
_SUMS = {p.primitive.name for p in (reduce_sum_p, reduce_mean_p)}


def blame_backward(
    recording: Recording, records: Sequence[Record], origins: Sequence[tuple[Record, Any, Any]]
) -> None:
    """Sets `fault` of the operations whose derivative was the first that is not finite.

    Args:
      recording: The recording made from a tape's records.
      records: The tape's records.
      origins: The records that `pulled_back` has found.
    """
    of_record = {id(r): op for r, op in zip(records, recording.operations, strict=True)}
    for record, g, bad in origins:
        op = of_record[id(record)]
        operands = [
            Operand.of(name, raw(x)) for name, x in zip(kept_names(record), record[3], strict=False)
        ]
        if not all(x.finite for x in operands):
            continue  # the non-finite numbers began in the forward pass
        incoming = next(d for d in (g if type(g) is list else [g]) if d is not None)
        hidden = masked(raw(incoming), raw(bad))
        if hidden and _selected(recording, op):
            trap = Trap.WHERE_BRANCH
        else:
            hazard = traits_of(record[0].primitive).hazard
            squares = _of_squares(recording, op)
            trap = traps.backward(hazard, operands, of_squares=squares, masked=hidden)
        op.fault = _words("its gradient is the first that is not finite", trap, bad)


def _words(what: str, trap: Trap, value: Any) -> str:
    if trap is Trap.UNKNOWN:
        return f"{what}."
    mending = MENDING[trap].format(dtype=raw(value).dtype.name)
    return f"{what}: {trap.value}. To mend it: {mending}"


def _selected(recording: Recording, start: Operation) -> bool:
    """Whether a `where` selects from values that were computed from a result."""
    reached = set(start.outputs)
    for op in recording.operations[start.number + 1 :]:
        if not reached.isdisjoint(op.inputs):
            if op.name == select_p.primitive.name:
                return True
            reached.update(op.outputs)
    return False


def _of_squares(recording: Recording, op: Operation) -> bool:
    """Whether an operation's argument is a sum of squares."""
    made = {o: other for other in recording.operations for o in other.outputs}
    total = made.get(op.inputs[0]) if op.inputs else None
    if total is None or total.name not in _SUMS:
        return False
    square = made.get(total.inputs[0])
    return square is not None and (
        square.name in _SQUARES
        or (square.name == mul_p.primitive.name and len(set(square.inputs)) == 1)
    )


def blame_forward(
    recording: Recording, records: Sequence[Record], variables: Sequence[Variable], targets: Any
) -> None:
    """Sets `fault` of the first operation with a result that is not finite, if it is known.

    A tape keeps only the values that derivatives need. If the last known values are finite and the
    next known values are not, one of the operations in between caused this. The first of them whose
    domain is limited, such as a logarithm, is blamed.

    Args:
      recording: The recording made from a tape's records.
      records: The tape's records.
      variables: The variables that it watched.
      targets: The tensors that were differentiated.
    """
    known: dict[int, bool] = {}
    holders = [*variables, *targets, *(x for r in records for x in r[3])]
    for x in holders:
        if x._id and known.get(x._id, True):
            known[x._id] = finite(x._value)
    made = {o: k for k, r in enumerate(records) for o in outputs(r) if o}
    for k, record in enumerate(records):
        if any(known.get(o) is False for o in outputs(record)):
            if any(known.get(i) is False for i in record[2] if i):
                continue
            suspects = _suspects(records, k, known, made)
            if any(known.get(i) is False for s in suspects for i in records[s][2] if i):
                continue
            guilty = next((s for s in suspects if _limited(records[s])), k)
            operands = [
                Operand.of(name, raw(x))
                for name, x in zip(kept_names(records[guilty]), records[guilty][3], strict=False)
                if name != "out"
            ]
            hazard = traits_of(records[guilty][0].primitive).hazard
            bad = next(x for x in holders if x._id in outputs(record))
            nan = Operand.of("", raw(bad)).nans > 0
            trap = traps.forward(hazard, operands, nan=nan)
            if not operands and not nan:
                trap = Trap.OVERFLOW
            what = "its result is the first that is not finite"
            recording.operations[guilty].fault = _words(what, trap, bad)
            return


def _limited(record: Record) -> bool:
    """Whether an operation is undefined for some arguments."""
    return traits_of(record[0].primitive).hazard not in (None, Hazard.PRODUCT)


def _suspects(
    records: Sequence[Record], last: int, known: dict[int, bool], made: dict[int, int]
) -> list[int]:
    """Returns the records that led to a result, back to values that are known to be finite."""
    found, todo = {last}, [last]
    while todo:
        for i in records[todo.pop()][2]:
            maker = made.get(i)
            if i and i not in known and maker is not None and maker not in found:
                found.add(maker)
                todo.append(maker)
    return sorted(found)
