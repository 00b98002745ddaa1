"""The boxes of a picture: layers, functions, loops and pieces of a tape, with boxes inside.

A box holds consecutive records, so that the dependencies between boxes have no cycle. A loop
is the exception: its box has one part for each position of the repeated sequence, and each part
holds the operations of all iterations.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from gradtape._src.inspect.records import Operation, Value

_LONGEST_PERIOD = 256  # the maximum number of operations in one iteration of a loop
_SURE = 8  # with fewer operations than this, a loop needs three iterations rather than two


@dataclass(eq=False, repr=False)
class Box:
    """A node of a picture.

    Attributes:
      title: The operation, or the name of the layer or function.
      kind: "operation", "layer", "loop", "piece", "value" or "port" (the end of an edge that leads
        out of the box around it).
      operations: The records in it, none for a value or port.
      parts: The boxes in it; none if it is an operation, value or port.
      iterations: For a loop, the iteration of each operation, by the operation's number.
      times: The number of iterations.
      values: The variables and watched tensors that only this box uses.
      value: The value that it shows.
      inside: The nodes that are drawn in it when it is open, sources first.
      edges: The edges between these.
      stopped: The edges along which no gradient flows back.
    """

    title: str
    kind: str = "operation"
    operations: list[Operation] = field(default_factory=list)
    parts: list[Box] = field(default_factory=list)
    iterations: dict[int, int] = field(default_factory=dict)
    times: int = 1
    values: list[Box] = field(default_factory=list)
    value: Value | None = None
    inside: list[Box] = field(default_factory=list)
    edges: list[tuple[Box, Box]] = field(default_factory=list)
    stopped: set[tuple[Box, Box]] = field(default_factory=set)

    @property
    def leaf(self) -> bool:
        """Whether there are no boxes inside."""
        return not self.parts

    def every(self) -> Iterator[Box]:
        """Yields this box and all boxes in it."""
        yield self
        for part in self.parts:
            yield from part.every()


def tree(operations: Sequence[Operation], most: int) -> Box:
    """Returns the box around all records.

    Args:
      operations: The records, in order.
      most: The maximum number of parts of a box; with more, consecutive ones form pieces.
    """
    return Box("", "layer", list(operations), _parts(operations, 0, most))


def _parts(operations: Sequence[Operation], depth: int, most: int) -> list[Box]:
    """Returns the boxes of records that are in the same scopes up to a depth."""
    parts = []
    for call, run in groupby(operations, lambda op: op.calls[depth : depth + 1]):
        if call:
            parts.append(_scope(call[0][0], list(run), depth + 1, most))
        else:
            parts += [Box(op.name, operations=[op]) for op in run]
    return _pieces(_with_loops(parts), most)


def _scope(name: str, operations: list[Operation], depth: int, most: int) -> Box:
    """Returns the box of a layer or function. If it holds a single box, that box gets its name."""
    parts = _parts(operations, depth, most)
    if len(parts) == 1 and parts[0].kind != "loop":
        (only,) = parts
        return Box(name, only.kind, operations, only.parts)
    return Box(name, "layer", operations, parts)


def _with_loops(parts: list[Box]) -> list[Box]:
    """Replaces each repeated sequence of boxes by a loop."""
    found: list[Box] = []
    marks = [_mark(part) for part in parts]
    at = 0
    while at < len(parts):
        period, times = best_period(marks, at)
        run = parts[at : at + period * times]
        if times > 1 and (times > 2 or sum(len(b.operations) for b in run) >= _SURE):
            found.append(_loop([run[k : k + period] for k in range(0, len(run), period)]))
            at += period * times
        else:
            found.append(parts[at])
            at += 1
    return found


def _mark(box: Box) -> Any:
    """Returns a key that is equal for boxes that can be iterations of one loop."""
    if box.leaf:
        op = box.operations[0]
        return box.title, op.name, op.place and (op.place.file, op.place.line)
    return box.title if box.kind != "loop" else "", box.times, *map(_mark, box.parts)


def best_period(marks: Sequence[Any], at: int) -> tuple[int, int]:
    """Finds the best repetition that begins at an index.

    Returns:
      The period whose repetitions cover the most items, and the number of repetitions.
    """
    best = (1, 1)
    for period in range(1, min(_LONGEST_PERIOD, (len(marks) - at) // 2) + 1):
        if marks[at + period] != marks[at]:
            continue
        times, block = 1, marks[at : at + period]
        while marks[at + times * period : at + (times + 1) * period] == block:
            times += 1
        if times > 1 and period * times > best[0] * best[1] and period * times >= 4:
            best = period, times
    return best


def _loop(iterations: list[list[Box]]) -> Box:
    """Returns the box of a loop.

    Args:
      iterations: The boxes of each iteration.
    """
    iteration_of = {
        op.number: k for k, run in enumerate(iterations) for b in run for op in b.operations
    }
    parts = _with_loops([_merged(boxes) for boxes in zip(*iterations, strict=True)])
    operations = [op for run in iterations for b in run for op in b.operations]
    if len(parts) == 1 and not parts[0].leaf:
        (only,) = parts
        return Box(only.title, "loop", operations, only.parts, iteration_of, len(iterations))
    return Box("", "loop", operations, parts, iteration_of, len(iterations))


def _merged(boxes: Sequence[Box]) -> Box:
    """Returns the boxes of one position in all iterations as one box."""
    first = boxes[0]
    return Box(
        first.title,
        first.kind,
        [op for b in boxes for op in b.operations],
        [_merged(parts) for parts in zip(*(b.parts for b in boxes), strict=True)],
        {number: k for b in boxes for number, k in b.iterations.items()},
        first.times,
    )


def _pieces(parts: list[Box], most: int) -> list[Box]:
    """Groups consecutive boxes into pieces, as often as there are too many boxes."""
    while len(parts) > most:
        size = -(-len(parts) // max(2, min(most, -(-len(parts) // most))))
        runs = [parts[k : k + size] for k in range(0, len(parts), size)]
        if len(runs) == len(parts):
            break
        parts = [_piece(run, most) if len(run) > 1 else run[0] for run in runs]
    return parts


def _piece(run: list[Box], most: int) -> Box:
    operations = [op for b in run for op in b.operations]
    first, last = run[0].title, run[-1].title
    if all(b.leaf for b in run):
        first, last = str(operations[0].number), str(operations[-1].number)
        return Box(f"operations {first} to {last}", "piece", operations, _pieces(run, most))
    return Box(f"{first} to {last}", "piece", operations, _pieces(run, most))


def sketch(box: Box, longest: int = 5) -> str:
    """Returns the names of the boxes in a box, shortened."""
    names = [f"{b.times} \u00d7 {b.title or 'steps'}" if b.kind == "loop" else b.title
             for b in box.parts]  # fmt: skip
    shown = []
    for name, run in groupby(names):
        count = len(list(run))
        shown.append(name if count == 1 else f"{count} \u00d7 {name}")
    if len(shown) > longest:
        shown[longest - 2 : -1] = ["\u2026"]
    return ", ".join(shown)
