"""Holds the order of the house: what in gradtape may import what.

Reads the sources without importing them and checks that

* each floor imports only floors before it, and nothing imports in a circle;
* `_core` names no operation;
* the part to be read first (`_core` and the tape) stays short, and so does every file;
* only heavy third-party packages are imported inside functions.

    python tools/check_layers.py [SOURCE_ROOT]

prints one line `file:line: message` per finding and exits with 1 if there is any.
"""

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

PACKAGE = "gradtape"
FACADES = 6  # every public module of the package that FLOORS does not name
FLOORS = {
    "_names": -1,  # imports nothing of gradtape
    "_alias": 0,  # imports nothing but the names
    "_version": 0,
    "_base": -1,
    "_core": 0,
    "_ops": 1,
    "_numpy": 2,
    "_text": 2,
    "_raw": 3,
    "_autodiff": 2,
    "_compile": 3,
    "_inspect": 4,
    "_files": 4,
    "_data": 5,
    "_distribute": 5,
    "_train": 5,
    "_saving": 5,
    "_cli": 7,
    "cli": 8,
    "__main__": 9,
}
HEAVY = {"scipy", "opt_einsum", "keras", "jax", "matplotlib", "IPython", "nbformat", "rich", "PIL",
         "re2"}  # fmt: skip
SELDOM = {"csv", "difflib", "sysconfig"}  # of Python's own, slow to load and seldom needed
LOADS_HEAVY = {  # our own modules that load one of them at their top
    "gradtape._compile.kernels.eager",
    "gradtape._compile.jit",
    "gradtape._saving.exported",
    "gradtape._distribute.processes",
    "gradtape._distribute.spmd",
}
FAMILIES = {"unary", "binary", "linear", "general"}
MAX_LINES = 600
MAX_CORE_LINES = 1500


@dataclass(frozen=True, order=True)
class Finding:
    """Something that breaks the order, and where."""

    path: Path
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}"


@dataclass(frozen=True)
class Import:
    """One imported module (by its full name) in a source file."""

    module: str
    line: int
    lazy: bool
    typing_only: bool


@dataclass
class Source:
    """One parsed file of the package."""

    name: str
    path: Path
    tree: ast.Module
    lines: int
    imports: list[Import] = field(default_factory=list)

    @property
    def floor(self) -> int:
        """The number of the floor this module stands on."""
        parts = self.name.split(".")
        return FLOORS.get(parts[1], FACADES) if len(parts) > 1 else FACADES

    @property
    def part(self) -> str:
        """The module or package directly below gradtape that this file belongs to."""
        return [*self.name.split("."), "__init__"][1]


def read(root: Path) -> dict[str, Source]:
    """The sources below `root` (the directory that holds the package) by module name."""
    sources = {}
    for path in sorted((root / PACKAGE).rglob("*.py")):
        name = ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")
        text = path.read_text(encoding="utf-8")
        sources[name] = Source(name, path, ast.parse(text), len(text.splitlines()))
    for source in sources.values():
        source.imports = list(imports(source, set(sources)))
    return sources


def imports(source: Source, known: set[str]) -> Iterator[Import]:
    """Everything that `source` imports, relative names resolved."""
    package = source.name if source.path.name == "__init__.py" else source.name.rpartition(".")[0]

    def visit(node: ast.AST, *, lazy: bool, typing_only: bool) -> Iterator[Import]:
        if isinstance(node, ast.Import):
            for item in node.names:
                yield Import(item.name, node.lineno, lazy, typing_only)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                up = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*up, base]).rstrip(".")
            for item in node.names:
                child = f"{base}.{item.name}"
                module = child if child in known else base
                yield Import(module, node.lineno, lazy, typing_only)
        inside = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            typing_only = True
        for child_node in ast.iter_child_nodes(node):
            yield from visit(child_node, lazy=lazy or inside, typing_only=typing_only)

    yield from visit(source.tree, lazy=False, typing_only=False)


def check_floors(sources: dict[str, Source]) -> Iterator[Finding]:
    """Imports that point to a later floor."""
    for source in sources.values():
        for item in source.imports:
            target = sources.get(item.module)
            if target is None:
                continue
            if target.floor > source.floor:
                yield Finding(
                    source.path,
                    item.line,
                    f"{source.name} imports {target.name}, which stands on a later floor",
                )


def check_cycles(sources: dict[str, Source]) -> Iterator[Finding]:
    """Circles of imports, each reported once."""
    state: dict[str, int] = {}
    trail: list[str] = []

    def visit(name: str) -> Iterator[Finding]:
        state[name] = 1
        trail.append(name)
        for item in sources[name].imports:
            if item.typing_only or item.module not in sources or item.module == name:
                continue
            if state.get(item.module) == 1:
                circle = [*trail[trail.index(item.module) :], item.module]
                yield Finding(
                    sources[name].path, item.line, f"imports in a circle: {' -> '.join(circle)}"
                )
            elif item.module not in state:
                yield from visit(item.module)
        trail.pop()
        state[name] = 2

    for name in sources:
        if name not in state:
            yield from visit(name)


def check_lazy(sources: dict[str, Source]) -> Iterator[Finding]:
    """Imports inside functions of anything but the heavy packages."""
    for source in sources.values():
        for item in source.imports:
            may = HEAVY | SELDOM | LOADS_HEAVY
            if item.lazy and not {item.module, item.module.split(".")[0]} & may:
                yield Finding(
                    source.path,
                    item.line,
                    f"imports {item.module} inside a function; only "
                    f"{', '.join(sorted(HEAVY | SELDOM))} may be",
                )


def operations(sources: dict[str, Source]) -> set[str]:
    """The names under which `_ops` registers operations: `sin_p = unary("Sin", ...)`."""
    return {
        node.args[0].value
        for source in sources.values()
        if source.part == "_ops"
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in FAMILIES
        and node.args
        and isinstance(node.args[0], ast.Constant)
        and isinstance(node.args[0].value, str)
    }


def check_core_names(sources: dict[str, Source]) -> Iterator[Finding]:
    """Operations that `_core` mentions by the name they are registered under."""
    names = operations(sources)
    for source in sources.values():
        if source.part != "_core":
            continue
        for node in ast.walk(source.tree):
            if isinstance(node, ast.Constant) and node.value in names:
                message = f"_core names the operation {node.value!r}; it must know of none"
                yield Finding(source.path, node.lineno, message)


def check_sizes(sources: dict[str, Source]) -> Iterator[Finding]:
    """Files, and the core with the tape, that grew too long."""
    core = 0
    for source in sources.values():
        if source.lines > MAX_LINES:
            message = f"{source.lines} lines; a file has at most {MAX_LINES}"
            yield Finding(source.path, source.lines, message)
        if source.part == "_core" or source.name == f"{PACKAGE}._autodiff.tape":
            core += source.lines
    if core > MAX_CORE_LINES:
        path = sources[f"{PACKAGE}._core"].path if f"{PACKAGE}._core" in sources else Path(PACKAGE)
        message = f"_core and the tape have {core} lines together; at most {MAX_CORE_LINES}"
        yield Finding(path, 1, message)


CHECKS = (check_floors, check_cycles, check_lazy, check_core_names, check_sizes)


def findings(root: Path) -> list[Finding]:
    """All that is wrong below `root`, in the order of files and lines."""
    sources = read(root)
    return sorted(finding for check in CHECKS for finding in check(sources))


def main(argv: list[str]) -> int:
    """Checks the sources below argv[0] (default: src) and prints what it finds."""
    root = Path(argv[0]) if argv else Path(__file__).resolve().parent.parent / "src"
    if not (root / PACKAGE).is_dir():
        print(f"{root}: no package {PACKAGE} here", file=sys.stderr)
        return 2
    found = findings(root)
    for finding in found:
        print(finding)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
