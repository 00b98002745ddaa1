"""Finds the tf names that a program uses, and those that it assigns, by reading it."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from gradtape._src.cli.program import Cell, Program
from gradtape._src.compat.alias import ALIAS, PACKAGE

_ROOTS = {ALIAS, PACKAGE}


@dataclass(frozen=True, order=True)
class Place:
    """A line of a program; `cell` is 0 in a script."""

    cell: int
    line: int
    column: int = field(default=0, compare=False)

    def __str__(self) -> str:
        return f"{self.cell}:{self.line}" if self.cell else str(self.line)


def tf_names(program: Program) -> dict[str, list[Place]]:
    """Returns the dotted names below `tf` that `program` uses, and their places."""
    return names_in(program).uses()


def names_in(program: Program) -> "NameFinder":
    """Returns a finder that has read a program."""
    finder = NameFinder()
    for cell in program.cells:
        finder.add_imports(cell)
    if finder.imports:
        for cell in program.cells:
            finder.add_uses(cell)
    return finder


class NameFinder(ast.NodeVisitor):
    """Follows the names that a program gives to tf and its parts.

    Attributes:
        places: The places where the program uses a tf name.
        replaced: The places where the program assigns to a tf name.
    """

    def __init__(self) -> None:
        self.places: dict[str, set[Place]] = {}
        self.replaced: dict[str, Place] = {}
        self._imported: dict[str, str] = {}  # local name -> path below tf
        self._assigned: dict[str, str] = {}
        self._cell = 0

    @property
    def imports(self) -> bool:
        """Whether the program imports tf or a part of it."""
        return bool(self._imported or self.places)

    def uses(self) -> dict[str, list[Place]]:
        """The tf names with their places in order."""
        return {path: sorted(places) for path, places in self.places.items()}

    def add_imports(self, cell: Cell) -> None:
        """Records the names that the cell imports from tensorflow, anywhere in it."""
        self._cell = cell.number
        for node in ast.walk(cell.tree):
            for path, local in _imports(node):
                if local:
                    self._imported[local] = path
                self._use(path, node)

    def add_uses(self, cell: Cell) -> None:
        """Records every use of a tf name in the cell."""
        self._cell = cell.number
        self.visit(cell.tree)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        path = self.path(node)
        if path is None:
            self.generic_visit(node)
        elif isinstance(node.ctx, ast.Store):
            self.replaced.setdefault(path, self._place(node))
            self.visit(node.value)
        else:
            self._use(path, node)

    def visit_Name(self, node: ast.Name) -> None:
        self._use(self.path(node) or "", node)

    def visit_Call(self, node: ast.Call) -> None:
        match node:
            case ast.Call(
                func=ast.Name(id="setattr" | "getattr" as name),
                args=[space, ast.Constant(value=str(attribute)), *_],
            ) if (path := self.path(space)) is not None:
                whole = f"{path}.{attribute}".lstrip(".")
                if name == "setattr":
                    self.replaced.setdefault(whole, self._place(node))
                elif len(node.args) == 2:
                    self._use(whole, node)
        self.generic_visit(node)

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
        """Returns the path below tf for an expression such as `tf.keras.layers`."""
        if isinstance(node, ast.Name):
            return self._assigned.get(node.id, self._imported.get(node.id))
        if isinstance(node, ast.Attribute):
            base = self.path(node.value)
            return None if base is None else f"{base}.{node.attr}".lstrip(".")
        return None

    def _place(self, node: ast.AST) -> Place:
        column = getattr(node, "col_offset", -1) + 1
        return Place(self._cell, getattr(node, "lineno", 0), column)

    def _use(self, path: str, node: ast.AST) -> None:
        if path:
            self.places.setdefault(path, set()).add(self._place(node))


def _imports(node: ast.AST) -> Iterator[tuple[str, str]]:
    """Returns the pairs (path below tf, local name) of an import statement."""
    if isinstance(node, ast.Import):
        for item in node.names:
            root, _, path = item.name.partition(".")
            if root not in _ROOTS:
                continue
            if item.asname:
                yield path, item.asname
            else:
                yield "", root
                yield path, ""
    elif isinstance(node, ast.ImportFrom) and not node.level:
        root, _, path = (node.module or "").partition(".")
        if root in _ROOTS:
            for item in node.names:
                if item.name == "*":
                    yield path, ""
                else:
                    yield f"{path}.{item.name}".lstrip("."), item.asname or item.name
