"""`gradtape doctor`: which tf names a program uses, and which of them gradtape has."""

import ast
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum

from rich.console import Console
from rich.table import Table
from rich.text import Text

from gradtape._src.cli.pitfalls import Pitfall, pitfalls
from gradtape._src.cli.program import Cell, Program, load
from gradtape._src.compat.alias import ALIAS, install, resolve
from gradtape._src.compat.names import (
    INTERNAL_PACKAGES,
    KERAS,
    first_unknown,
    nearest,
    now_at,
    old_name,
    plain,
)

SHOWN_PLACES = 6
_DEEPEST = 100_000  # calls within calls


@dataclass(frozen=True, order=True)
class Place:
    """A line of a program; `cell` is 0 in a script."""

    cell: int
    line: int

    def __str__(self) -> str:
        return f"{self.cell}:{self.line}" if self.cell else str(self.line)


class State(Enum):
    """The state of a tf name in gradtape; the value of a member says it in a few words."""

    THERE = "yes"
    NOT_YET = "not yet"
    UNKNOWN = "not a TensorFlow name"
    INSIDE = "inside of TensorFlow, not public"
    EXTRA = "needs an extra"


@dataclass
class Use:
    """A tf name with the places it is used in.

    Attributes:
        path: The name without the leading `tf.`.
        places: Where it stands, in order.
        state: Whether gradtape has it, and if not, whether TensorFlow has.
        note: What to use or install instead, if that is known.
    """

    path: str
    places: list[Place] = field(default_factory=list)
    state: State = State.THERE
    note: str = ""

    @property
    def lacking(self) -> bool:
        """Whether a program cannot use the name."""
        return self.state is not State.THERE


@dataclass
class Findings:
    """The results of reading a program.

    Attributes:
        uses: The tf names that it uses, those that gradtape lacks first.
        traps: What does not do what it seems to.
    """

    uses: list[Use]
    traps: list[Pitfall]


def examine(name: str) -> Findings:
    """Reads the program in the file `name`.

    Raises:
        ProgramError: The file cannot be read as a program.
    """
    program = load(name)
    install()
    with _deep_trees():
        uses = [judge(path, places) for path, places in tf_names(program).items()]
        uses.sort(key=lambda use: (not use.lacking, use.path))
        return Findings(uses, pitfalls(program, _finder(program).path))


@contextmanager
def _deep_trees() -> Iterator[None]:
    """Lets visitors follow whatever Python could compile, such as a sum of a thousand terms.

    Calls between Python functions take no room on C's stack, so that the limit may be high.
    """
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _DEEPEST))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def judge(path: str, places: list[Place]) -> Use:
    """Looks up `tf.<path>`: whether gradtape has it and, if not, why."""
    try:
        resolve(path)
    except AttributeError:
        return Use(path, places, *_why_lacking(plain(path)))
    except ImportError as error:
        return Use(path, places, State.EXTRA, str(error))
    return Use(path, places)


def _why_lacking(path: str) -> tuple[State, str]:
    if path.partition(".")[0] in INTERNAL_PACKAGES:
        return State.INSIDE, ""
    if path.startswith(tuple(f"{name}." for name in KERAS)):
        return State.UNKNOWN, "Keras 3 lacks this name"
    unknown = first_unknown(path)
    if not unknown:
        return State.NOT_YET, ""
    if old := old_name(unknown):
        now = f" or tf.{new}" if (new := now_at(unknown)) else ""
        return State.UNKNOWN, f"TensorFlow 1's, now tf.{old}{now}"
    likely = ", ".join(f"tf.{name}" for name in nearest(unknown))
    return State.UNKNOWN, likely and f"the nearest: {likely}"


def tf_names(program: Program) -> dict[str, list[Place]]:
    """The dotted names below `tf` that `program` uses, and where."""
    finder = _finder(program)
    for cell in program.cells:
        finder.add_uses(cell)
    return {path: sorted(places) for path, places in finder.places.items()}


def _finder(program: Program) -> "_NameFinder":
    finder = _NameFinder()
    for cell in program.cells:
        finder.add_imports(cell)
    return finder


class _NameFinder(ast.NodeVisitor):
    """Follows the names that a program gives to tf and its parts."""

    def __init__(self) -> None:
        self.places: dict[str, set[Place]] = {}
        self._imported: dict[str, str] = {}  # local name -> path below tf
        self._assigned: dict[str, str] = {}
        self._cell = 0

    def add_imports(self, cell: Cell) -> None:
        """Learns what the cell imports from tensorflow, wherever it does so."""
        self._cell = cell.number
        for node in ast.walk(cell.tree):
            for path, local in _imports(node):
                if local:
                    self._imported[local] = path
                self._use(path, node)

    def add_uses(self, cell: Cell) -> None:
        """Notes every use of a tf name in the cell."""
        self._cell = cell.number
        self.visit(cell.tree)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        path = self.path(node)
        if path is None:
            self.generic_visit(node)
        else:
            self._use(path, node)

    def visit_Name(self, node: ast.Name) -> None:
        self._use(self.path(node) or "", node)

    def visit_Assign(self, node: ast.Assign) -> None:
        self.visit(node.value)
        path = self.path(node.value)
        for target in node.targets:
            if not isinstance(target, ast.Name):
                self.visit(target)
            elif path is None:
                self._assigned.pop(target.id, None)
            else:
                self._assigned[target.id] = path

    def path(self, node: ast.expr) -> str | None:
        """The path below tf that an expression such as `tf.keras.layers` names."""
        if isinstance(node, ast.Name):
            return self._assigned.get(node.id, self._imported.get(node.id))
        if isinstance(node, ast.Attribute):
            base = self.path(node.value)
            return None if base is None else f"{base}.{node.attr}".lstrip(".")
        return None

    def _use(self, path: str, node: ast.AST) -> None:
        if path:
            place = Place(self._cell, getattr(node, "lineno", 0))
            self.places.setdefault(path, set()).add(place)


def _imports(node: ast.AST) -> Iterator[tuple[str, str]]:
    """The (path below tf, local name) pairs that an import statement makes."""
    if isinstance(node, ast.Import):
        for item in node.names:
            root, _, path = item.name.partition(".")
            if root == ALIAS and item.asname:
                yield path, item.asname
            elif root == ALIAS:
                yield "", root
                yield path, ""
    elif isinstance(node, ast.ImportFrom) and not node.level:
        root, _, path = (node.module or "").partition(".")
        if root == ALIAS:
            for item in node.names:
                if item.name == "*":
                    yield path, ""
                else:
                    yield f"{path}.{item.name}".lstrip("."), item.asname or item.name


def as_json(name: str, findings: Findings) -> dict[str, object]:
    """The findings for one file as plain data."""
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
    }


def print_table(console: Console, name: str, findings: Findings) -> None:
    """Prints the findings for one file."""
    uses = findings.uses
    cells = any(place.cell for use in uses for place in use.places)
    table = Table(title=name, title_style="bold", title_justify="left", header_style="bold")
    table.add_column("name", no_wrap=True)
    table.add_column("cell:line" if cells else "line")
    table.add_column("in gradtape")
    for use in uses:
        answer = f"{use.state.value}: {use.note}" if use.note else use.state.value
        cell = Text(answer, "red" if use.lacking else "green")
        table.add_row(f"tf.{use.path}", _list_places(use.places), cell)
    if uses:
        console.print(table)
    for trap in findings.traps:
        place = Place(trap.cell, trap.line)
        console.print(Text(f"{name}:{place}: {trap.text}", "yellow"), soft_wrap=True)
    lacking = sum(use.lacking for use in uses)
    style = "red" if lacking else "green"
    console.print(Text(f"{name}: {_summary(findings)}", style), soft_wrap=True)


def _summary(findings: Findings) -> str:
    traps = len(findings.traps)
    ending = f"; {traps} {'traps' if traps > 1 else 'trap'}" if traps else ""
    if not findings.uses:
        return f"no tf names{ending}"
    counts = Counter(use.state for use in findings.uses)
    lacking = sum(counts.values()) - counts.pop(State.THERE, 0)
    kinds = ", ".join(f"{count} {state.value}" for state, count in counts.items())
    said = f"{lacking} of them lacking ({kinds})" if lacking else "all of them in gradtape"
    return f"{len(findings.uses)} tf names, {said}{ending}"


def _list_places(places: list[Place]) -> str:
    shown = ", ".join(map(str, places[:SHOWN_PLACES]))
    rest = len(places) - SHOWN_PLACES
    return f"{shown} and {rest} more" if rest > 0 else shown
