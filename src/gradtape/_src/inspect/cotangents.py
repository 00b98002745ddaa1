"""Computes and keeps every cotangent of a tape, without releasing the tape's records."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from gradtape._src.autodiff.arguments import ones
from gradtape._src.base.indexed_slices import IndexedSlices
from gradtape._src.core import recorder
from gradtape._src.core.primitive import Record
from gradtape._src.inspect.finiteness import finite
from gradtape._src.ops.array.row_sums import add_gradients, to_dense


@dataclass(eq=False, repr=False)
class PullBack:
    """The cotangents of a tape, and the problems in computing them.

    Attributes:
      cotangents: The cotangents by id, for all values that the computation reached.
      refused: The records whose rule gave None for a followed input, each with the input's
        position.
      error: The exception that a rule raised, and the record.
      origins: If requested, the records whose rule gave a non-finite cotangent for a finite one,
        with the cotangents before and after.
    """

    cotangents: dict[int, Any]
    refused: list[tuple[Record, int]] = field(default_factory=list)
    error: tuple[Exception, Record] | None = None
    origins: list[tuple[Record, Any, Any]] | None = None


def pulled_back(
    records: Sequence[Record], targets: Iterable[Any], *, origins: bool = False
) -> PullBack:
    """Computes the cotangents of a tape's values, starting with ones at the targets.

    Args:
      records: The records of a tape.
      targets: Tensors.
      origins: Whether to find the records at which non-finite numbers begin.
    """
    found = PullBack({y._id: ones(y._value) for y in targets})
    found.origins = [] if origins else None
    with recorder.replaced(()):
        for record in reversed(records):
            try:
                _one(record, found)
            except Exception as error:  # noqa: BLE001 (a custom gradient may raise any exception)
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
    if found.origins is not None:
        bad = [
            d for i, d in zip(ids, pulled, strict=False) if i and d is not None and not finite(d)
        ]
        if bad and all(d is None or finite(d) for d in (g if type(g) is list else [g])):
            found.origins.append((record, g, bad[0]))
    for position, i in enumerate(ids):
        d = pulled[position] if position < len(pulled) else None
        if i and d is None:
            found.refused.append((record, position))
        elif i:
            before = cotangents.get(i)
            cotangents[i] = d if before is None else add_gradients(before, d)
