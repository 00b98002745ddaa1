"""Folds runs of records of a large recording into one box each.

Only consecutive records are folded, so that the result has no cycle.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gradtape._src.inspect.records import Operation

Run = list[Operation]
_TITLE = 28  # the maximum length of a title


@dataclass(eq=False, repr=False)
class Box:
    """One or more records that are shown as one.

    Attributes:
      title: The operation, or the common name of the records.
      detail: The operations inside, if there are several.
      operations: The records.
    """

    title: str
    detail: str
    operations: Run


def folded(operations: Sequence[Operation], limit: int) -> list[Box]:
    """Folds records into about `limit` boxes: by scope, then by repetition, then by position."""
    single = [Box(op.name, "", [op]) for op in operations]
    if len(operations) <= limit:
        return single
    boxes = _by_scope(operations)
    if len(boxes) > limit:
        boxes = _by_repetition(boxes)
    if len(boxes) > limit:
        boxes = _by_position(boxes, limit)
    return boxes


def _sketch(operations: Sequence[Operation]) -> str:
    """Returns the names of operations, with repetitions listed once."""
    names = [op.name for op in operations]
    parts: list[str] = []
    at = 0
    while at < len(names):
        period, times = _best_period(names, at, least=2)
        block = names[at : at + period]
        if times == 1:
            parts.append(names[at])
        elif period == 1:
            parts.append(f"{block[0]} \u00d7{times}")
        else:
            shown = block if len(block) <= 5 else [*block[:3], "\u2026", block[-1]]
            parts.append(f"({', '.join(shown)}) \u00d7{times}")
        at += period * times
    if len(parts) > 5:
        parts[3:-1] = ["\u2026"]
    return ", ".join(parts)


def _by_scope(operations: Sequence[Operation]) -> list[Box]:
    """Folds consecutive records of one layer or name scope."""
    boxes: list[Box] = []
    for op in operations:
        last = boxes[-1] if boxes else None
        if last is not None and op.scope and last.operations[0].scope == op.scope:
            last.operations.append(op)
            last.title, last.detail = op.scope, _sketch(last.operations)
        else:
            boxes.append(Box(op.name, "", [op]))
    return boxes


def _by_repetition(boxes: list[Box]) -> list[Box]:
    """Folds a repeated sequence of boxes into one box."""
    out: list[Box] = []
    titles = [b.title for b in boxes]
    at = 0
    while at < len(boxes):
        period, times = _best_period(titles, at)
        if times < 2:
            out.append(boxes[at])
            at += 1
            continue
        run = boxes[at : at + period * times]
        once = [op for b in run[:period] for op in b.operations]
        operations = [op for b in run for op in b.operations]
        names = run[0].title if period == 1 else _sketch(once)
        short = len(names) <= _TITLE
        title = f"{times} \u00d7 {names if short else f'{len(once)} operations'}"
        out.append(Box(title, "" if short and period == 1 else _sketch(operations), operations))
        at += period * times
    return out


def _best_period(titles: Sequence[str], at: int, least: int = 4) -> tuple[int, int]:
    """Returns the period whose repetitions from an index on cover most, and their number."""
    best = (1, 1)
    for period in range(1, min(65, (len(titles) - at) // 2 + 1)):
        times = 1
        block = titles[at : at + period]
        while titles[at + times * period : at + (times + 1) * period] == block:
            times += 1
        covered, before = period * times, best[0] * best[1]
        if times > 1 and covered >= least and covered > before:
            best = period, times
    return best


def _by_position(boxes: list[Box], limit: int) -> list[Box]:
    """Folds the tape into equal pieces."""
    size = -(-len(boxes) // limit)

    def pieces() -> Iterator[Box]:
        for at in range(0, len(boxes), size):
            run = [op for b in boxes[at : at + size] for op in b.operations]
            first, last = run[0].number, run[-1].number
            yield Box(f"operations {first} to {last}", _sketch(run), run)

    return list(pieces())
