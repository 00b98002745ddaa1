"""`gradtape doctor`: which tf names a program uses, and which of them gradtape has."""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from rich.console import Console
from rich.table import Table
from rich.text import Text

from gradtape._alias import ALIAS, install, resolve
from gradtape._cli.program import Cell, Program, load

SHOWN_PLACES = 6


@dataclass(frozen=True, order=True)
class Place:
    """A line of a program; `cell` is 0 in a script."""

    cell: int
    line: int

    def __str__(self) -> str:
        return f"{self.cell}:{self.line}" if self.cell else str(self.line)


@dataclass
class Use:
    """A tf name with the places it is used in.

    Attributes:
        path: The name without the leading `tf.`.
        places: Where it stands, in order.
        lacking: Why gradtape cannot give it; empty if it can.
    """

    path: str
    places: list[Place] = field(default_factory=list)
    lacking: str = ""


def examine(name: str) -> list[Use]:
    """The tf names that the program in the file `name` uses, those that gradtape lacks first.

    Raises:
        ProgramError: The file cannot be read as a program.
    """
    program = load(name)
    install()
    uses = [Use(path, places) for path, places in tf_names(program).items()]
    for use in uses:
        use.lacking = _why_lacking(use.path)
    return sorted(uses, key=lambda use: (not use.lacking, use.path))


def _why_lacking(path: str) -> str:
    try:
        resolve(path)
    except AttributeError:
        return "no"
    except ImportError as error:
        return str(error)
    return ""


def tf_names(program: Program) -> dict[str, list[Place]]:
    """The dotted names below `tf` that `program` uses, and where."""
    finder = _NameFinder()
    for cell in program.cells:
        finder.add_imports(cell)
    for cell in program.cells:
        finder.add_uses(cell)
    return {path: sorted(places) for path, places in finder.places.items()}


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
        path = self._path(node)
        if path is None:
            self.generic_visit(node)
        else:
            self._use(path, node)

    def visit_Name(self, node: ast.Name) -> None:
        self._use(self._path(node) or "", node)

    def visit_Assign(self, node: ast.Assign) -> None:
        self.visit(node.value)
        path = self._path(node.value)
        for target in node.targets:
            if not isinstance(target, ast.Name):
                self.visit(target)
            elif path is None:
                self._assigned.pop(target.id, None)
            else:
                self._assigned[target.id] = path

    def _path(self, node: ast.expr) -> str | None:
        """The path below tf that an expression such as `tf.keras.layers` names."""
        if isinstance(node, ast.Name):
            return self._assigned.get(node.id, self._imported.get(node.id))
        if isinstance(node, ast.Attribute):
            base = self._path(node.value)
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


def as_json(name: str, uses: Iterable[Use]) -> dict[str, object]:
    """The findings for one file as plain data."""
    return {
        "file": name,
        "names": [
            {
                "name": f"tf.{use.path}",
                "available": not use.lacking,
                "places": [
                    {"cell": place.cell or None, "line": place.line} for place in use.places
                ],
            }
            for use in uses
        ],
        "lacking": [f"tf.{use.path}" for use in uses if use.lacking],
    }


def print_table(console: Console, name: str, uses: list[Use]) -> None:
    """Prints the findings for one file."""
    cells = any(place.cell for use in uses for place in use.places)
    table = Table(title=name, title_style="bold", title_justify="left", header_style="bold")
    table.add_column("name", no_wrap=True)
    table.add_column("cell:line" if cells else "line")
    table.add_column("in gradtape")
    for use in uses:
        answer = Text(use.lacking or "yes", "red" if use.lacking else "green")
        table.add_row(f"tf.{use.path}", _list_places(use.places), answer)
    lacking = sum(bool(use.lacking) for use in uses)
    if uses:
        console.print(table)
    summary = f"{len(uses)} tf names, " if uses else "no tf names"
    if uses:
        summary += f"{lacking} of them lacking" if lacking else "all of them in gradtape"
    console.print(Text(f"{name}: {summary}", "red" if lacking else "green"), soft_wrap=True)


def _list_places(places: list[Place]) -> str:
    shown = ", ".join(map(str, places[:SHOWN_PLACES]))
    rest = len(places) - SHOWN_PLACES
    return f"{shown} and {rest} more" if rest > 0 else shown
