"""`tape.summary()`: the kinds of operations that a tape recorded, their numbers and memory."""

from __future__ import annotations

import html
import io
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gradtape._src.autodiff.tape import GradientTape
from gradtape._src.inspect.memory.peak import gradient_peak
from gradtape._src.inspect.pictures.drawing import readable, typed
from gradtape._src.inspect.records import Recording, read


@dataclass(frozen=True, eq=False)
class Row:
    """One kind of operation.

    Attributes:
      operation: Its name.
      count: The number of its records.
      bytes: The bytes that its records hold, without those of variables.
      largest: The largest result, as text.
    """

    operation: str
    count: int
    bytes: int
    largest: str


class Summary:
    """The operations that a tape recorded; prints as a table.

    Attributes:
      rows: One row for each kind of operation, sorted by memory.
      operations: The number of records.
      bytes: The bytes that they hold, without those of variables.
      peak: The bytes that the records, the gradient of the last result by everything watched, and
        the values in between will take at most, without variables and watched tensors; None if a
        derivative rule fails.
      variables: The watched variables by name, with their bytes.
    """

    def __init__(self, recording: Recording, variables: Sequence[Any], peak: int | None) -> None:
        kinds: dict[str, list[Any]] = {}
        for op in recording.operations:
            kinds.setdefault(op.name, []).append(op)
        rows = [
            Row(name, len(ops), sum(op.bytes for op in ops), _largest(ops))
            for name, ops in kinds.items()
        ]
        self.rows = sorted(rows, key=lambda r: (-r.bytes, -r.count, r.operation))
        self.operations = len(recording.operations)
        self.bytes = recording.bytes
        self.peak = peak
        self.variables: dict[str, int] = {}
        for v in variables:
            name = v.name.removesuffix(":0")
            if name in self.variables:
                name = f"{name}_{len(self.variables)}"
            self.variables[name] = int(getattr(v._value, "nbytes", 0))

    @property
    def caption(self) -> str:
        """The totals in one line."""
        held = sum(self.variables.values())
        count = len(self.variables)
        hold = "operation holds" if self.operations == 1 else "operations hold"
        plural = "" if count == 1 else "s"
        peak = "" if self.peak is None else f"; the gradient's peak is {readable(self.peak)}"
        return (
            f"{self.operations} {hold} {readable(self.bytes)}{peak}; "
            f"{count} watched variable{plural} of {readable(held)}"
        )

    def _cells(self) -> list[tuple[str, str, str, str]]:
        return [(r.operation, str(r.count), readable(r.bytes), r.largest) for r in self.rows]

    def __str__(self) -> str:
        if sys.stdout.isatty():
            return self._in_color()
        cells = [_HEAD, *self._cells()]
        widths = [max(len(row[k]) for row in cells) for k in range(4)]
        lines = [
            f"{a:<{widths[0]}}  {b:>{widths[1]}}  {c:>{widths[2]}}  {d}".rstrip()
            for a, b, c, d in cells
        ]
        lines.insert(1, "-" * max(map(len, lines)))
        return "\n".join((*lines, "", self.caption))

    __repr__ = __str__

    def _in_color(self) -> str:
        from rich.console import Console

        out = io.StringIO()
        Console(file=out, force_terminal=True).print(self)
        return out.getvalue().rstrip("\n")

    def __rich__(self) -> Any:
        from rich.table import Table

        table = Table(caption=self.caption, header_style="bold", caption_justify="left")
        for name, justify in zip(_HEAD, ("left", "right", "right", "left"), strict=True):
            table.add_column(name, justify=justify)  # type: ignore[arg-type]
        for row in self._cells():
            table.add_row(*row)
        return table

    def _repr_html_(self) -> str:
        def line(cells: Sequence[str], tag: str) -> str:
            sides = ("left", "right", "right", "left")
            made = (
                f'<{tag} style="text-align:{side}">{html.escape(c)}</{tag}>'
                for c, side in zip(cells, sides, strict=True)
            )
            return f"<tr>{''.join(made)}</tr>"

        body = "".join(line(row, "td") for row in self._cells())
        return (
            f"<table><thead>{line(_HEAD, 'th')}</thead><tbody>{body}</tbody></table>"
            f"<div>{html.escape(self.caption)}</div>"
        )


_HEAD = ("operation", "count", "holds", "largest result")


def _largest(operations: Sequence[Any]) -> str:
    known = [op for op in operations if op.shape is not None]
    if not known:
        return ""
    largest = max(known, key=lambda op: _count(op.shape))
    return typed(largest.shape, largest.dtype)


def _count(shape: Sequence[int]) -> int:
    total = 1
    for n in shape:
        total *= n
    return total


def summary(tape: GradientTape) -> Summary:
    """Implements the method `GradientTape.summary`."""
    recording = read(tape)
    return Summary(recording, tape.watched_variables(), gradient_peak(tape, recording.facts))
