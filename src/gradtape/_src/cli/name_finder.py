"""Finds the tf names that a program uses, and those that it assigns, by reading it."""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from gradtape._src.cli.program import Cell, Program
from gradtape._src.compat.alias import ALIAS, PACKAGE

_ROOTS = {ALIAS, PACKAGE}
_NO_ARGUMENTS = ast.Pass()
_Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


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


@dataclass
class Scope:
    """The names that a function, class or module binds.

    Attributes:
        paths: For each name, the path below tf; None for something else.
        unclear: Names that stand for something else in a part of the scope.
        is_class: Whether it is a class, whose names its methods do not see.
    """

    paths: dict[str, str | None] = field(default_factory=dict)
    unclear: set[str] = field(default_factory=set)
    is_class: bool = False


class NameFinder(ast.NodeVisitor):
    """Follows the names that a program gives to tf and its parts, scope by scope.

    Attributes:
        places: The places where the program uses a tf name.
        replaced: The places where the program assigns to a tf name.
    """

    def __init__(self) -> None:
        self.places: dict[str, set[Place]] = {}
        self.replaced: dict[str, Place] = {}
        self._imported: dict[str, str] = {}  # local name -> path below tf
        self._scopes: list[Scope] = [Scope()]
        self._paths: dict[ast.expr, str | None] = {}
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

    def path(self, node: ast.expr) -> str | None:
        """Returns the path below tf for an expression such as `tf.keras.layers`."""
        return self._paths.get(node)

    def visit(self, node: ast.AST) -> None:
        """Reads a part of the program."""
        if not isinstance(node, _Comprehension):
            super().visit(node)
            return
        self._scopes.append(_scope_of(_NO_ARGUMENTS, [part.target for part in node.generators]))
        super().visit(node)
        self._scopes.pop()

    def visit_Attribute(self, node: ast.Attribute) -> None:
        path = self._follow(node)
        if path is None:
            self.generic_visit(node)
        elif isinstance(node.ctx, ast.Store):
            self.replaced.setdefault(path, self._place(node))
            self.visit(node.value)
        else:
            self._use(path, node)

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self._use(self._follow(node) or "", node)
        else:  # bound by a loop, a `with` statement or the like
            self._scopes[-1].paths[node.id] = None

    def visit_Call(self, node: ast.Call) -> None:
        match node:
            case ast.Call(
                func=ast.Name(id="setattr" | "getattr" as name),
                args=[space, ast.Constant(value=str(attribute)), *_],
            ) if (path := self._follow(space)) is not None:
                whole = f"{path}.{attribute}".lstrip(".")
                if name == "setattr":
                    self.replaced.setdefault(whole, self._place(node))
                elif len(node.args) == 2:
                    self._use(whole, node)
        self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        self.visit(node.value)
        path = self._follow(node.value)
        scope = self._scopes[-1]
        for target in node.targets:
            if not isinstance(target, ast.Name):
                self.visit(target)
            elif target.id not in scope.unclear:
                scope.paths[target.id] = path

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        for part in (*node.decorator_list, node.args, node.returns):
            if part is not None:
                self.visit(part)
        self._scopes.append(_scope_of(node.args, node.body))
        for statement in node.body:
            self.visit(statement)
        self._scopes.pop()

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self.visit_FunctionDef(node)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self.visit(node.args)
        self._scopes.append(_scope_of(node.args, [node.body]))
        self.visit(node.body)
        self._scopes.pop()

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        for part in (*node.decorator_list, *node.bases, *node.keywords):
            self.visit(part)
        scope = _scope_of(_NO_ARGUMENTS, node.body)
        scope.is_class = True
        self._scopes.append(scope)
        for statement in node.body:
            self.visit(statement)
        self._scopes.pop()

    def _follow(self, node: ast.expr) -> str | None:
        if isinstance(node, ast.Name):
            path = self._meaning(node.id)
        elif isinstance(node, ast.Attribute):
            base = self._follow(node.value)
            path = None if base is None else f"{base}.{node.attr}".lstrip(".")
        else:
            return None
        self._paths[node] = path
        return path

    def _meaning(self, name: str) -> str | None:
        for scope in reversed(self._scopes):
            if name in scope.paths and (scope is self._scopes[-1] or not scope.is_class):
                return scope.paths[name]
        return self._imported.get(name)

    def _place(self, node: ast.AST) -> Place:
        column = getattr(node, "col_offset", -1) + 1
        return Place(self._cell, getattr(node, "lineno", 0), column)

    def _use(self, path: str, node: ast.AST) -> None:
        if path:
            self.places.setdefault(path, set()).add(self._place(node))


def _scope_of(arguments: ast.AST, body: Sequence[ast.AST]) -> Scope:
    """Returns the scope of a function or class before its first statement."""
    bound = {node.arg for node in ast.walk(arguments) if isinstance(node, ast.arg)}
    aliases, elsewhere = set[str](), set[str]()
    remaining = list(body)
    while remaining:
        node = remaining.pop()
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                bound.add(node.name)
                continue
            case ast.Lambda():
                continue
            case ast.Global() | ast.Nonlocal():
                elsewhere.update(node.names)
            case ast.Import() | ast.ImportFrom():
                elsewhere.update(item.asname or item.name for item in node.names)
            case ast.Assign(value=ast.Name() | ast.Attribute()):
                names = [target for target in node.targets if isinstance(target, ast.Name)]
                aliases.update(name.id for name in names)
                remaining += [target for target in node.targets if target not in names]
                continue
            case ast.comprehension():
                remaining += [node.iter, *node.ifs]
                continue
            case ast.Name(ctx=ast.Store()):
                bound.add(node.id)
        remaining += ast.iter_child_nodes(node)
    bound -= elsewhere
    return Scope(dict.fromkeys(bound | (aliases - elsewhere)), bound)


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
