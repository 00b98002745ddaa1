"""The results of `gradtape doctor` as text, JSON, SARIF and annotations for GitHub."""

import json
import os
from collections import Counter
from dataclasses import dataclass, field
from urllib.parse import quote

from rich.console import Console
from rich.table import Table
from rich.text import Text

from gradtape._src.cli.codes import CODES, PAGE
from gradtape._src.cli.doctor import Finding, Findings, State
from gradtape._src.cli.name_finder import Place
from gradtape._version import __version__

SHOWN_PLACES = 6
SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


@dataclass
class Report:
    """The results of reading several files.

    Attributes:
        files: The findings in each readable file.
        unread: For each file that could not be read, the reason.
    """

    files: dict[str, Findings] = field(default_factory=dict)
    unread: dict[str, str] = field(default_factory=dict)

    @property
    def lacking(self) -> bool:
        """Whether a program uses something that gradtape lacks."""
        return any(line.fails for found in self.files.values() for line in found.lines)

    @property
    def flawless(self) -> bool:
        """Whether nothing at all was found."""
        return not any(found.lines for found in self.files.values())

    def show(self, console: Console, form: str) -> None:
        """Prints the report.

        Args:
            console: The console for texts for readers.
            form: One of `FORMATS`.
        """
        if form == "json":
            print(json.dumps(self._data(), indent=2))
        elif form == "sarif":
            print(json.dumps(_sarif(self), indent=2))
        elif form == "github":
            for name, found in self.files.items():
                for line in found.lines:
                    print(_annotation(name, line))
            for name, text in self.unread.items():
                print(f"::error file={_escaped(name)}::{_escaped_text(text)}")
        else:
            _print_summary(console, self)
            for name, found in self.files.items():
                if form == "full":
                    print_table(console, name, found, whole=len(self.files) == 1)
                else:
                    _print_lines(console, name, found)

    def _data(self) -> list[dict[str, object]]:
        read = [as_json(*item) for item in self.files.items()]
        return read + [{"file": name, "error": text} for name, text in self.unread.items()]


def as_json(name: str, findings: Findings) -> dict[str, object]:
    """Returns the findings for one file as plain data."""
    return {
        "file": name,
        "names": [
            {
                "name": f"tf.{use.path}",
                "available": not use.lacking,
                "state": use.state.name.lower(),
                "note": use.note,
                "places": [
                    {"cell": place.cell or None, "line": place.line} for place in use.places
                ],
            }
            for use in findings.uses
        ],
        "lacking": [f"tf.{use.path}" for use in findings.uses if use.lacking],
        "traps": [
            {"kind": trap.kind, "cell": trap.cell or None, "line": trap.line, "text": trap.text}
            for trap in findings.traps
        ],
        "findings": [
            {
                "code": line.code.code,
                "level": line.code.level,
                "cell": line.place.cell or None,
                "line": line.place.line,
                "column": line.place.column,
                "text": line.text,
            }
            for line in findings.lines
        ],
    }


def _sarif(report: Report) -> dict[str, object]:
    """Returns the report in SARIF, the format that code hosts read."""
    rules = [
        {
            "id": code.code,
            "name": code.kind,
            "shortDescription": {"text": code.title},
            "help": {"text": f"docs/{PAGE}#{code.code.lower()}"},
            "defaultConfiguration": {"level": code.level},
        }
        for code in CODES
    ]
    results = [
        _sarif_result(name, line) for name, found in report.files.items() for line in found.lines
    ]
    notices = [{"level": "error", "message": {"text": text}} for text in report.unread.values()]
    driver = {"name": "gradtape doctor", "version": __version__, "rules": rules}
    run = {
        "tool": {"driver": driver},
        "results": results,
        "invocations": [
            {"executionSuccessful": not notices, "toolExecutionNotifications": notices}
        ],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _sarif_result(name: str, line: Finding) -> dict[str, object]:
    region = {"startLine": max(line.place.line, 1), "startColumn": max(line.place.column, 1)}
    uri = quote(os.fsencode(name.replace("\\", "/")))
    physical = {"artifactLocation": {"uri": uri}, "region": region}
    location: dict[str, object] = {"physicalLocation": physical}
    if line.place.cell:
        location["logicalLocations"] = [{"name": f"cell {line.place.cell}"}]
    return {
        "ruleId": line.code.code,
        "level": line.code.level,
        "message": {"text": line.text},
        "locations": [location],
    }


def _annotation(name: str, line: Finding) -> str:
    """Returns the command with which a GitHub workflow marks a line."""
    place = line.place
    cell = f"cell {place.cell}: " if place.cell else ""
    where = f"file={_escaped(name)},line={place.line},col={place.column}"
    return f"::{line.code.level} {where},title={line.code.code}::{_escaped_text(cell + line.text)}"


def _escaped(text: str) -> str:
    return _escaped_text(text).replace(":", "%3A").replace(",", "%2C")


def _escaped_text(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _print_summary(console: Console, report: Report) -> None:
    """Prints a line about all files, if there are several."""
    if len(report.files) + len(report.unread) < 2:
        return
    lines = [line for found in report.files.values() for line in found.lines]
    faulty = sum(bool(found.lines) for found in report.files.values())
    counts = Counter(line.code for line in lines)
    unread = f", {len(report.unread)} that can't be read" if report.unread else ""
    head = f"{len(report.files)} files, {faulty} with findings{unread}"
    console.print(Text(head, "red" if report.lacking else "green"), soft_wrap=True)
    for code, count in sorted(counts.items()):
        console.print(Text(f"  {code.code} {count:4} {code.title}"), soft_wrap=True)


def _print_lines(console: Console, name: str, findings: Findings) -> None:
    """Prints a line for each finding, as compilers do."""
    for line in findings.lines:
        console.print(Text(_line(name, line), "red" if line.fails else "yellow"), soft_wrap=True)


def _line(name: str, line: Finding) -> str:
    return f"{name}:{line.place}:{line.place.column}: {line.code.code} {line.text}"


def print_table(console: Console, name: str, findings: Findings, *, whole: bool = True) -> None:
    """Prints the findings for one file, the summary first.

    Args:
        console: The console to print to.
        name: The name of the file.
        findings: The findings in it.
        whole: Whether the names that gradtape has are listed, too.
    """
    uses = [use for use in findings.uses if whole or use.lacking]
    traps = [line for line in findings.lines if line.code.kind not in _STATES]
    if not whole and not uses and not traps:
        return
    lacking = any(use.lacking for use in uses)
    text = Text(f"{name}: {_summary(findings)}", "red" if lacking else "green")
    console.print(text, soft_wrap=True)
    cells = any(place.cell for use in uses for place in use.places)
    table = Table(header_style="bold")
    table.add_column("name", no_wrap=True)
    table.add_column("cell:line" if cells else "line")
    table.add_column("in gradtape")
    for use in uses:
        answer = f"{use.state.value}: {use.note}" if use.note else use.state.value
        cell = Text(answer, "red" if use.lacking else "green")
        table.add_row(f"tf.{use.path}", _list_places(use.places), cell)
    if uses:
        console.print(table)
    for line in traps:
        console.print(Text(f"{_line(name, line)}", "yellow"), soft_wrap=True)


_STATES = {state.name.lower() for state in State}


def _summary(findings: Findings) -> str:
    traps = sum(line.code.kind not in _STATES for line in findings.lines)
    ending = f"; {traps} {'traps' if traps > 1 else 'trap'}" if traps else ""
    if not findings.uses:
        return f"no tf names{ending}"
    counts = Counter(use.state for use in findings.uses)
    lacking = sum(counts.values()) - counts.pop(State.THERE, 0)
    kinds = ", ".join(f"{count} {state.value}" for state, count in counts.items())
    said = f"{lacking} of them lacking ({kinds})" if lacking else "all of them in gradtape"
    return f"{len(findings.uses)} tf names, {said}{ending}"


def _list_places(places: list[Place]) -> str:
    lines = list(dict.fromkeys(map(str, places)))
    shown = ", ".join(lines[:SHOWN_PLACES])
    rest = len(lines) - SHOWN_PLACES
    return f"{shown} and {rest} more" if rest > 0 else shown
