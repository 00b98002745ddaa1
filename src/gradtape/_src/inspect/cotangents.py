"""A pull-back over a tape's records that keeps the records and every cotangent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from gradtape._src.autodiff.arguments import ones
from gradtape._src.base.indexed_slices import IndexedSlices
from gradtape._src.core import recorder
from gradtape._src.core.primitive import Record
from gradtape._src.ops.array.row_sums import add_gradients, to_dense


@dataclass(eq=False, repr=False)
class PullBack:
    """The results of a pull-back.

    Attributes:
      cotangents: The cotangents by id, of all values that one reached.
      refused: The records, with an input's position, whose rule gave None for a followed input.
      error: The exception that a rule raised, and the record.
    """

    cotangents: dict[int, Any]
    refused: list[tuple[Record, int]] = field(default_factory=list)
    error: tuple[Exception, Record] | None = None


def pulled_back(records: Sequence[Record], targets: Iterable[Any]) -> PullBack:
    """Pulls ones back from the targets, without recorders."""
    found = PullBack({y._id: ones(y._value) for y in targets})
    with recorder.replaced(()):
        for record in reversed(records):
            try:
                _one(record, found)
            except Exception as error:  # noqa: BLE001 (a rule of the user's may raise anything)
                found.error = error, record
                break
    return found


def _one(record: Record, found: PullBack) -> None:
    plan, out, ids, saved, static = record
    cotangents = found.cotangents
    if type(out) is tuple:
        g: Any = [cotangents.get(o) for o in out]
        if all(d is None for d in g):
            return
        g = [to_dense(d) if type(d) is IndexedSlices else d for d in g]
    else:
        g = cotangents.get(out)
        if g is None:
            return
        if type(g) is IndexedSlices and not plan.sparse:
            g = to_dense(g)
    pulled = list(plan.vjp_raw(g, ids, saved, static))
    for position, i in enumerate(ids):
        d = pulled[position] if position < len(pulled) else None
        if i and d is None:
            found.refused.append((record, position))
        elif i:
            before = cotangents.get(i)
            cotangents[i] = d if before is None else add_gradients(before, d)
