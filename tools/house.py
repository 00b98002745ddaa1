"""Prints measures of the sources, such as sizes and ways in which modules reach each other.

    python tools/house.py [--check | --lower]

Each row has a value, measured from the sources without importing them, its limit and its target.
The limits in `tools/house_limits.json` may only fall: with --check the tool exits with 1 if a value
is above its limit, and --lower reduces the limits to the current values. Sizes that grow with
gradtape's features have no limit.
"""

import ast
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import check_docstrings as docstrings
import check_layers as layers
import check_tests
from check_layers import Source

ROOT = Path(__file__).resolve().parents[1]
LIMITS = Path(__file__).with_name("house_limits.json")
DECLARING = ("ops", "declare", "text", "graphdef", "saving.export")
"""Rooms that declare operations, or say by which names graphs call them."""
MARKS = {"raw_op", "raw_gradient"}
RECIPE = "## Add an operation"
LEAST_REPEATED = 4
"""The number of lines from which on two bodies are compared."""


@dataclass(frozen=True)
class Block:
    """One code block of the recipe, and the file into which it goes."""

    path: str
    code: str


def recipe(root: Path) -> list[Block]:
    """Returns the code blocks of CONTRIBUTING's recipe for an operation, each with its file.

    The file is the last one in the paragraph before the block.
    """
    text = (root / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = text.partition(RECIPE)[2].partition("\n## ")[0]
    blocks = []
    for before, code in re.findall(r"(.*?)```python\n(.*?)```", section, re.DOTALL):
        paragraph = before.strip().split("\n\n")[-1]
        paths = re.findall(r"`((?:src|tests)/[\w/]+\.py)`", paragraph)
        blocks.append(Block(paths[-1] if paths else "", code))
    return blocks


@dataclass(frozen=True)
class House:
    """Measures the sources and tests below a directory."""

    root: Path

    @cached_property
    def sources(self) -> dict[str, Source]:
        """All modules of the package by name."""
        return layers.read(self.root / "src")

    @cached_property
    def written(self) -> list[Source]:
        """The modules that are written by hand."""
        return [s for s in self.sources.values() if not layers.is_generated(s)]

    @cached_property
    def functions(self) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
        """All functions that are written by hand."""
        return [n for s in self.written for n in functions(s)]

    @cached_property
    def engine(self) -> list[Source]:
        """The modules that a new reader should read first."""
        return layers.engine(self.sources)

    def places_to_edit(self) -> int:
        """Returns the number of places in the recipe for a new elementwise operation."""
        return len(recipe(self.root))

    def operation_names(self) -> int:
        """Returns the number of strings that name an operation outside of its room."""
        names = layers.operations(self.sources)
        return sum(
            node.value in names
            for source in self.written
            if not source.room.startswith(DECLARING)
            for node in constants(source)
        )

    def kernel_entries(self) -> int:
        """Returns the number of entries in tables named KERNELS, which list kernels by name."""
        return sum(
            key is not None
            for source in self.written
            for node in source.nodes
            if isinstance(node, ast.Assign | ast.AnnAssign)
            and isinstance(node.value, ast.Dict)
            and "KERNELS" in [ast.unparse(target) for target in layers.assigned(node)]
            for key in node.value.keys
        )

    def raw_operations(self) -> int:
        """Returns the number of raw operations that have a definition of their own."""
        return sum(
            mark in MARKS
            for source in self.written
            if not source.room.startswith(DECLARING)
            for node in source.nodes
            if isinstance(node, ast.FunctionDef | ast.ClassDef)
            and "export" not in (marks := [called(call) for call in node.decorator_list])
            for mark in marks
        )

    def assignments(self) -> int:
        """Returns the number of attributes that a module sets on another module or its classes."""
        return len(list(layers.check_assignments(self.sources)))

    def strings(self) -> int:
        """Returns the number of imports by a name in a string outside of the manifests."""
        return len(list(layers.check_strings(self.sources)))

    def flags(self) -> int:
        """Returns the number of places that store state in a `__dict__`."""
        return len(list(layers.check_flags(self.sources)))

    def largest_room(self) -> int:
        """Returns the number of files in the largest room."""
        rooms = Counter(s.path.parent for s in self.sources.values() if s.room)
        return max(rooms.values(), default=0)

    def returns_any(self) -> int:
        """Returns the number of public functions and methods whose result is Any.

        Functions within functions, which have no other callers, do not count.
        """
        inner = {
            id(g) for f in self.functions for g in ast.walk(f) if g is not f and _is_function(g)
        }
        named = [f for f in self.functions if not f.name.startswith("_") and id(f) not in inner]
        return sum(f.returns is not None and ast.unparse(f.returns) == "Any" for f in named)

    def waivers(self) -> int:
        """Returns the number of lines that allow Any as a result."""
        pattern = re.compile(r"# type: ignore\[[^\]\n]*no-any-return")
        return sum(len(pattern.findall(s.path.read_text("utf-8"))) for s in self.written)

    def lines(self) -> int:
        """Returns the number of lines that are written by hand."""
        return sum(s.lines for s in self.written)

    def docstring_lines(self) -> int:
        """Returns the number of docstrings' lines that are written by hand."""
        return sum(
            (node.body[0].end_lineno or 0) - node.body[0].lineno + 1
            for s in self.written
            for node in s.nodes
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
            and ast.get_docstring(node, clean=False) is not None
        )

    def incomplete_docstrings(self) -> int:
        """Returns the number of public docstrings that lack arguments or results."""
        return len(list(docstrings.lacking(self.sources)))

    def missing_examples(self) -> int:
        """Returns the number of docstrings that still need examples."""
        return max(0, docstrings.EXAMPLES - len(list(docstrings.examples(self.sources))))

    def engine_lines(self) -> int:
        """Returns the number of the engine's lines, without the sections of docstrings."""
        return sum(layers.lines_to_read(s) for s in self.engine)

    def longest_function(self) -> int:
        """Returns the number of lines of the engine's longest function."""
        found = [f for s in self.engine for f in functions(s)]
        return max(((f.end_lineno or 0) - f.lineno + 1 for f in found), default=0)

    def complexity(self) -> int:
        """Returns the greatest cyclomatic complexity of the engine's functions, from Ruff."""
        ruff = [sys.executable, "-m", "ruff", "check", "--isolated", "--ignore-noqa"]
        options = ["--select", "C901", "--config", "lint.mccabe.max-complexity=0"]
        command = [*ruff, *options, "--output-format", "json", "--exit-zero"]
        files = [str(s.path) for s in self.engine]
        done = subprocess.run([*command, *files], capture_output=True, text=True, check=True)  # noqa: S603
        found = re.findall(r"too complex \((\d+) >", done.stdout)
        return max(map(int, found), default=0)

    def written_twice(self) -> int:
        """Returns the number of functions of four lines or more that repeat an earlier one."""
        found = [text for s in self.written for f in functions(s) if (text := renamed_body(f))]
        return len(found) - len(set(found))

    def untested(self) -> int:
        """Returns the number of modules with logic and without tests in their room's folder."""
        return len(list(check_tests.untested(self.root, self.sources)))


def functions(source: Source) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Yields all functions in a source."""
    for node in source.nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


class _Renamed(ast.NodeTransformer):
    """Renames a function's own names, in the order of their first use."""

    def __init__(self, names: set[str]) -> None:
        self._names = names
        self._numbers: dict[str, int] = {}

    def visit_Name(self, node: ast.Name) -> ast.Name:
        if node.id in self._names:
            return ast.Name(f"_{self._numbers.setdefault(node.id, len(self._numbers))}", node.ctx)
        return node


def renamed_body(function: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """Returns a function's body with numbers in place of its names; "" if it is short."""
    body = function.body[ast.get_docstring(function) is not None :]
    if not body or (body[-1].end_lineno or 0) - body[0].lineno + 1 < LEAST_REPEATED:
        return ""
    nodes = list(ast.walk(function))
    names = {n.arg for n in nodes if isinstance(n, ast.arg)}
    names |= {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    copied = ast.parse(ast.unparse(ast.Module(body, [])))
    return ast.unparse(_Renamed(names).visit(copied))


def constants(source: Source) -> Iterator[ast.Constant]:
    """Yields the literals in a source, except for names in declarations and marks."""
    given = {
        id(call.args[0])
        for call in source.nodes
        if isinstance(call, ast.Call) and called(call) in MARKS | layers.FAMILIES and call.args
    }
    for node in source.nodes:
        if isinstance(node, ast.Constant) and id(node) not in given:
            yield node


def called(node: ast.AST) -> str:
    """Returns the name of the called function, "" if it is not a plain name."""
    return node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""


ROWS: dict[str, Callable[[House], int]] = {
    "places to edit for a new unary operation": House.places_to_edit,
    "string literals that name operations outside of ops and declare": House.operation_names,
    "entries of KERNELS tables": House.kernel_entries,
    "raw operations said apart from their declaration": House.raw_operations,
    "assignments onto our classes from another file": House.assignments,
    "modules imported by a name in a string outside of the manifests": House.strings,
    "flags planted in `__dict__`": House.flags,
    "files in the largest room": House.largest_room,
    "functions without an underscore that return Any": House.returns_any,
    "`no-any-return` waivers": House.waivers,
    "lines under src written by hand": House.lines,
    "docstring lines": House.docstring_lines,
    "public callables without Args or Returns": House.incomplete_docstrings,
    "docstrings with examples, less than 250": House.missing_examples,
    "engine lines": House.engine_lines,
    "lines of the engine's longest function": House.longest_function,
    "highest complexity in the engine": House.complexity,
    "functions written twice": House.written_twice,
    "modules without a test of their name": House.untested,
}


def _is_function(node: ast.AST) -> bool:
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)


def limits() -> dict[str, dict[str, int | None]]:
    """Returns each row's limit and target; the layer check defines that of the engine's lines."""
    found: dict[str, dict[str, int | None]] = json.loads(LIMITS.read_text(encoding="utf-8"))
    found["engine lines"]["limit"] = layers.MAX_ENGINE_LINES
    return found


def measured(root: Path) -> dict[str, int]:
    """Returns the current value of each row."""
    house = House(root)
    return {name: measure(house) for name, measure in ROWS.items()}


def above(values: dict[str, int], rows: dict[str, dict[str, int | None]]) -> list[str]:
    """Returns a message for each row that is above its limit."""
    return [
        f"{name}: {value}, at most {limit}"
        for name, value in values.items()
        if (limit := rows[name]["limit"]) is not None and value > limit
    ]


def table(values: dict[str, int], rows: dict[str, dict[str, int | None]]) -> str:
    """Returns the rows as a table in Markdown."""
    head = "| | today | limit | to become |\n|---|---:|---:|---:|\n"
    limits = {name: "none" if row["limit"] is None else row["limit"] for name, row in rows.items()}
    return head + "".join(
        f"| {name} | {value} | {limits[name]} | {rows[name]['target']} |\n"
        for name, value in values.items()
    )


def lowered(values: dict[str, int], rows: dict[str, dict[str, int | None]]) -> str:
    """Returns the text of the limits, after reducing those above the current values."""
    lines = [
        f"  {json.dumps(name)}: "
        + json.dumps({"limit": limit and min(values[name], limit), "target": row["target"]})
        for name, row in rows.items()
        for limit in [row["limit"]]
    ]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def main() -> int:
    """Prints the table, checks the limits or lowers them."""
    values, rows = measured(ROOT), limits()
    if "--lower" in sys.argv[1:]:
        LIMITS.write_text(lowered(values, rows), encoding="utf-8")
        return 0
    if "--check" not in sys.argv[1:]:
        print(table(values, rows), end="")
        return 0
    found = above(values, rows)
    for message in found:
        print(f"{LIMITS.name}: {message}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
