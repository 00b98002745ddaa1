"""The report of a profile: the sums, as tables and as text."""

from __future__ import annotations

import importlib.util
import io
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from gradtape._src.files.atomic_write import replacing
from gradtape._src.inspect.pictures.drawing import readable
from gradtape._src.profiling.collector import (
    OVERHEAD,
    PYTHON,
    PYTHON_KINDS,
    Collector,
    Event,
    Flame,
    Key,
    Line,
    Sums,
)
from gradtape._src.profiling.forms import FORMS

_OPERATIONS = frozenset({"operation", "node", "gradient"})
_PHASES = {
    "walk": "walks over tapes",
    "function": "compiled functions",
    "trace": "tracing",
    "compile": "compiling by XLA",
    "assign": "assignments",
    "data": "datasets",
    "copy": "copies to NumPy",
    "optimizer": "optimizers",
    "import": "imports",
    "step": "Python inside of steps",
    PYTHON: "Python outside of operations",
    OVERHEAD: "the profiler itself",
}
_LEAST = 12
"""The rows of a table that is printed."""


@dataclass(frozen=True)
class Row:
    """One operation, layer or line.

    Attributes:
      name: Its name.
      calls: The number of forward runs.
      forward: The seconds of the forward runs.
      backward: The seconds in gradients.
      bytes: The bytes of its results.
      python: The seconds of a line in Python outside of operations, estimated from samples.
    """

    name: str
    calls: int
    forward: float
    backward: float
    bytes: int
    python: float = 0.0

    @property
    def seconds(self) -> float:
        """The sum of the seconds forward, backward and in Python."""
        return self.forward + self.backward + self.python


@dataclass(frozen=True)
class FunctionRow:
    """One `tf.function`.

    Attributes:
      name: Its name.
      calls: The number of calls.
      seconds: The seconds of the calls without the operations inside, which leaves XLA's
        program.
      traced: The number of traces.
      tracing: The seconds that tracing took.
      compiled: The number of programs that XLA compiled for it.
      compiling: The seconds that compiling took.
    """

    name: str
    calls: int
    seconds: float
    traced: int
    tracing: float
    compiled: int
    compiling: float


@dataclass(frozen=True)
class StepRow:
    """The blocks of `Trace` with one name.

    Attributes:
      name: The name.
      calls: The number of blocks.
      mean: The mean seconds of a block, with all sections inside it.
      shortest: The seconds of the shortest block.
      longest: The seconds of the longest block.
    """

    name: str
    calls: int
    mean: float
    shortest: float
    longest: float


@dataclass(frozen=True)
class CopyRow:
    """One way in which arrays were copied: its name, the number of copies, and their bytes."""

    name: str
    calls: int
    bytes: int


class Report:
    """The results of a profile, which print as tables.

    Attributes:
      wall: The seconds from the profile's beginning to its end.
      phases: The seconds of each part of the time; their sum is `wall`.
      operations: A row for each operation, the slowest first.
      layers: A row for each name scope, which Keras' layers open.
      lines: A row for each line of the program; the name is "file:line".
      functions: A row for each `tf.function` that was called.
      steps: A row for each name of `tf.profiler.experimental.Trace`.
      copies: A row for each way in which arrays were copied.
      memory: Pairs of a time in seconds and the bytes of results that were alive then.
      peak: The maximum of these bytes.
      picture: The first tape that computed a gradient, as SVG; "" if there was none.
    """

    def __init__(self, collector: Collector) -> None:
        totals = collector.totals()
        self.wall = collector.wall / 1e9
        self.peak = collector.peak
        self.events: Sequence[Event] = collector.events
        self.dropped = collector.dropped
        self.flame: Flame = collector.flame
        self.phases = _phases(totals)
        parts = [(key, sums) for key, sums in totals.items() if key.kind in _OPERATIONS]
        self.operations = _rows(parts, lambda key: key.name)
        self.layers = _rows(parts, lambda key: key.layer.rstrip("/") or "(no layer)")
        self.lines = _with_python(_rows(parts, lambda key: place_of(key.line)), totals, collector)
        self.functions = _functions(totals)
        self.steps = _steps(self.events)
        self.picture = collector.picture
        self.copies = [CopyRow(n, s.calls, s.bytes) for n, s in sorted(collector.copies.items())]
        own = [event for event in self.events if event.thread == 0]
        self.memory = [((e.start + e.duration) / 1e9, e.live) for e in own]

    def __str__(self) -> str:
        if sys.stdout.isatty() and importlib.util.find_spec("rich") is not None:
            return _colored(self.caption, [table for table in self.tables() if table.rows])
        return self.plain()

    def plain(self) -> str:
        """Returns the tables as text without colours."""
        parts = [table.plain() for table in self.tables() if table.rows]
        return "\n\n".join([self.caption, *parts])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from gradtape._src.profiling.page import tables_of

        return tables_of(self)

    @property
    def caption(self) -> str:
        """The totals in one line."""
        calls = sum(row.calls for row in self.operations)
        held = readable(self.peak)
        return f"{seconds(self.wall)}: {calls:,} operations, {held} of results alive at most"

    def tables(self, most: int = _LEAST) -> list[Table]:
        """Returns the tables that are shown.

        Args:
          most: The maximum number of rows of each table.
        """
        head = ["calls", "forward", "backward", "share", "made"]
        tables = [Table(("time", "seconds", "share"), self._phase_cells())]
        for title, rows in (
            ("operation", self.operations),
            ("layer", self.layers),
            ("line", self.lines),
        ):
            is_line = title == "line"
            cells = [self._cells(row, is_line=is_line) for row in rows[:most]]
            tables.append(Table((title, *(["Python"] if is_line else []), *head), cells))
        steps = [
            (row.name, str(row.calls), *map(seconds, (row.mean, row.shortest, row.longest)))
            for row in self.steps[:most]
        ]
        tables.append(Table(("step", "count", "mean", "shortest", "longest"), steps))
        functions = [
            (
                row.name,
                str(row.calls),
                seconds(row.seconds),
                f"{row.traced} in {seconds(row.tracing)}",
                f"{row.compiled} in {seconds(row.compiling)}",
            )
            for row in self.functions[:most]
        ]
        head_of_functions = ("function", "calls", "its own", "traced", "compiled by XLA")
        tables.append(Table(head_of_functions, functions))
        copies = [(row.name, str(row.calls), readable(row.bytes)) for row in self.copies]
        tables.append(Table(("copies", "count", "bytes"), copies))
        return tables

    def _phase_cells(self) -> list[tuple[str, ...]]:
        shown = sorted(self.phases.items(), key=lambda item: -item[1])
        return [(name, seconds(t), self._share(t)) for name, t in shown if t]

    def _cells(self, row: Row, *, is_line: bool) -> tuple[str, ...]:
        return (
            row.name.rpartition(os.sep)[2] if is_line else row.name,
            *([seconds(row.python)] if is_line else []),
            f"{row.calls:,}",
            seconds(row.forward),
            seconds(row.backward),
            self._share(row.seconds),
            readable(row.bytes),
        )

    def _share(self, t: float) -> str:
        return f"{t / self.wall:.1%}" if self.wall else ""

    def save(self, path: Any) -> None:
        """Writes the report to a file, in the format of the file name extension.

        Args:
          path: ".html" for a page with pictures, ".json" for a trace that Perfetto and Chrome
            open, ".txt" for the tables.

        Raises:
          ValueError: The file name extension is not supported. OpError: The file can't be written.
        """
        file = Path(path)
        write = _WRITERS.get(file.suffix)
        if write is None:
            raise ValueError(
                f"save: {str(path)!r} must end in one of {', '.join(FORMS)}, which "
                "chooses the format"
            )
        text = write(self)
        with replacing(str(file)) as out:
            out.write(text.encode())


def _page(report: Report) -> str:
    from gradtape._src.profiling.page import page

    return page(report)


def _trace(report: Report) -> str:
    from gradtape._src.profiling.trace_file import chrome_trace

    return chrome_trace(report)


_WRITERS: dict[str, Callable[[Report], str]] = dict(
    zip(FORMS, (_page, _trace, lambda report: f"{report.plain()}\n"), strict=True)
)


class Table:
    """A table of text: the header's cells, and rows with the same number of cells."""

    def __init__(self, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        self.head, self.rows = head, rows

    def plain(self) -> str:
        """Returns the table as text, with columns separated by spaces."""
        cells = [self.head, *self.rows]
        widths = [max(len(row[k]) for row in cells) for k in range(len(self.head))]
        lines = [
            "  ".join(
                [
                    cell.ljust(width) if k == 0 else cell.rjust(width)
                    for k, (cell, width) in enumerate(zip(row, widths, strict=True))
                ]
            ).rstrip()
            for row in cells
        ]
        lines.insert(1, "-" * max(map(len, lines)))
        return "\n".join(lines)

    def __rich__(self) -> Any:
        from rich.table import Table as RichTable
        from rich.text import Text

        made = RichTable(header_style="bold")
        for k, name in enumerate(self.head):
            made.add_column(name, justify="left" if k == 0 else "right")
        for row in self.rows:
            made.add_row(*map(Text, row))
        return made


def _colored(caption: str, tables: Iterable[Table]) -> str:
    from rich.console import Console

    out = io.StringIO()
    console = Console(file=out, force_terminal=True)
    console.print(caption, highlight=False)
    for table in tables:
        console.print(table)
    return out.getvalue().rstrip("\n")


def seconds(t: float) -> str:
    """Formats a time in a suitable unit."""
    if t >= 1:
        return f"{t:.2f} s"
    if t >= 1e-3:
        return f"{t * 1e3:.2f} ms"
    return f"{t * 1e6:.0f} µs" if t else "0"


def place_of(line: Line | None) -> str:
    """Formats a line as "file:line"."""
    return "(unknown)" if line is None else f"{line[0]}:{line[1]}"


def _phases(totals: dict[Key, Sums]) -> dict[str, float]:
    found = {"operations, forward": 0.0, "operations, backward": 0.0}
    for key, sums in totals.items():
        if key.kind in _OPERATIONS:
            name = f"operations, {'backward' if key.backward else 'forward'}"
        else:
            name = _PHASES[key.kind]
        found[name] = found.get(name, 0.0) + sums.own / 1e9
    return found


def _rows(parts: Iterable[tuple[Key, Sums]], name_of: Callable[[Key], str]) -> list[Row]:
    found: dict[str, list[Any]] = {}
    for key, sums in parts:
        row = found.setdefault(name_of(key), [0, 0.0, 0.0, 0])
        row[0] += 0 if key.backward else sums.calls
        row[2 if key.backward else 1] += sums.own / 1e9
        row[3] += sums.bytes
    rows = [Row(name, *values) for name, values in found.items()]
    return sorted(rows, key=lambda row: -row.seconds)


def _with_python(rows: list[Row], totals: dict[Key, Sums], collector: Collector) -> list[Row]:
    """Adds each line's share of the time in Python to its row."""
    samples = dict(collector.lines)
    found = {row.name: row for row in rows}
    count = sum(samples.values())
    own = sum(s.own for key, s in totals.items() if key.kind == PYTHON or key.kind in PYTHON_KINDS)
    for line, times in samples.items():
        name = place_of(line)
        row = found.get(name, Row(name, 0, 0.0, 0.0, 0))
        found[name] = replace(row, python=own / 1e9 * times / count)
    return sorted(found.values(), key=lambda row: -row.seconds)


def _steps(events: Iterable[Event]) -> list[StepRow]:
    found: dict[str, list[float]] = {}
    for event in events:
        if event.kind == "step" and event.thread == 0:
            found.setdefault(event.name, []).append(event.duration / 1e9)
    rows = [StepRow(n, len(t), sum(t) / len(t), min(t), max(t)) for n, t in found.items()]
    return sorted(rows, key=lambda row: -row.calls * row.mean)


def _functions(totals: dict[Key, Sums]) -> list[FunctionRow]:
    found: dict[str, dict[str, list[float]]] = {}
    for key, sums in totals.items():
        if key.kind in ("function", "trace", "compile"):
            parts = found.setdefault(key.name, {})
            part = parts.setdefault(key.kind, [0, 0.0])
            part[0] += sums.calls
            part[1] += sums.own / 1e9
    nothing = [0, 0.0]
    rows = []
    for name, parts in found.items():
        each = [parts.get(kind, nothing) for kind in ("function", "trace", "compile")]
        (calls, own), (traced, tracing), (compiled, compiling) = each
        rows.append(
            FunctionRow(name, int(calls), own, int(traced), tracing, int(compiled), compiling)
        )
    return sorted(rows, key=lambda row: -(row.seconds + row.tracing + row.compiling))
