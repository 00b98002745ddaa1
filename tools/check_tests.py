"""Checks the places of tests, and that tests do nothing that is forbidden.

The folders of `tests` mirror the rooms of `src/gradtape/_src`. Reads the sources without importing
them and checks that

* each module that holds logic has `test_<module>.py`, or `test_<module>_<aspect>.py`, in the
  folder of its room;
* no file in such a folder is named after a module of another room alone;
* no test sleeps: threads and processes wait for events;
* no function or class of MAX_REPEATED lines or more is in two files of tests: both import it;
* no test's parameters come from a set or a folder unsorted: processes that share the tests must
  collect them in one order.

A module holds logic if the functions in it have more than MAX_STATEMENTS statements, docstrings
aside. What a room of operations declares needs no file of its own if `tests/samples` calls each
of its public functions: `tests/ops/test_samples.py` compares values, derivatives of both modes to
second order and batches for every sample. Generated modules need none.

    python tools/check_tests.py

prints one line per finding and exits with 1 if there is any.
"""

import ast
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import check_layers as layers
from check_layers import PACKAGE, Finding, Source
from unordered_parameters import unordered

ROOT = Path(__file__).resolve().parents[1]
MAX_STATEMENTS = 20
MAX_REPEATED = 5
SAMPLED = ("ops", "declare")
"""The rooms whose public functions may be tested by samples alone."""
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def statements(tree: ast.AST) -> int:
    """Returns the number of statements in the functions of a tree, without docstrings."""
    return len({id(node) for body in _functions(tree) for node in _body(body)})


def _functions(tree: ast.AST) -> Iterator[ast.AST]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def _body(function: ast.AST) -> Iterator[ast.stmt]:
    for node in ast.walk(function):
        if isinstance(node, ast.stmt) and not isinstance(node, (*DEFINITIONS, ast.Pass)):
            text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            if not text:
                yield node


def public(source: Source) -> dict[str, set[str]]:
    """Returns the functions and classes of a source that are exported, with their public names."""
    found: dict[str, set[str]] = {}
    for node in source.nodes:
        if not isinstance(node, DEFINITIONS):
            continue
        for mark in node.decorator_list:
            if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "export":
                names = {str(ast.literal_eval(argument)) for argument in mark.args}
                found.setdefault(node.name, set()).update(names)
    return found


def sampled(root: Path) -> set[str]:
    """Returns the paths of the functions in samples, such as `math.exp` for `tf.math.exp`."""
    found = set()
    for path in sorted((root / "tests" / "samples").glob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        ours: dict[str, str] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(PACKAGE):
                for item in node.names:
                    ours[item.asname or item.name] = f"{node.module}.{item.name}"
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute | ast.Name):
                first, _, rest = ast.unparse(node).partition(".")
                found.add(f"{ours[first]}.{rest}".rstrip(".") if first in ours else rest)
    return found


def by_samples(source: Source, names: set[str]) -> bool:
    """Whether samples call every public function of a module, and at least one thing in it."""
    if not source.room.startswith(SAMPLED):
        return False
    used = {name.rpartition(".")[2] for name in names if name.rpartition(".")[0] == source.name}
    functions = public(source)
    called = {
        name for name, shown in functions.items() if used & {name, f"{name}_p"} or shown & names
    }
    return bool(used | called) and called == set(functions)


def modules(sources: Mapping[str, Source]) -> Iterator[Source]:
    """Yields the modules of rooms that are written by hand."""
    for source in sources.values():
        written = not layers.is_generated(source)
        if source.room and source.path.name != "__init__.py" and written:
            yield source


def folder(source: Source) -> Path:
    """Returns the folder of a module's tests, relative to the folder of tests."""
    return Path(*source.room.split("."))


def untested(root: Path, sources: Mapping[str, Source]) -> Iterator[Source]:
    """Yields the modules that hold logic and have no file of tests in the folder of their room."""
    names = sampled(root)
    for source in modules(sources):
        place = root / "tests" / folder(source)
        stem = f"test_{source.path.stem}"
        if (place / f"{stem}.py").exists() or any(place.glob(f"{stem}_*.py")):
            continue
        if statements(source.tree) > MAX_STATEMENTS and not by_samples(source, names):
            yield source


def misplaced(root: Path, sources: Mapping[str, Source]) -> Iterator[Finding]:
    """Yields files of tests that are named only after modules of other rooms."""
    homes: dict[str, set[Path]] = {}
    for source in modules(sources):
        homes.setdefault(source.path.stem, set()).add(folder(source))
    rooms = {place for places in homes.values() for place in places}
    mirrored = rooms | {above for place in rooms for above in place.parents}
    for path in sorted((root / "tests").rglob("test_*.py")):
        here = path.parent.relative_to(root / "tests")
        named = homes.get(path.stem.removeprefix("test_"), set())
        if named and here in mirrored and here not in named:
            better = ", ".join(f"tests/{place.as_posix()}" for place in sorted(named))
            yield Finding(path, 1, f"named after a module whose tests stand in {better}")


def sleeping(root: Path) -> Iterator[Finding]:
    """Yields calls of `sleep` in tests and in the programs that tests start."""
    for path in sorted((root / "tests").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if "sleep" not in text:
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("sleep"):
                yield Finding(path, node.lineno, "a test waits for an event and does not sleep")


def repeated(root: Path) -> Iterator[Finding]:
    """Yields functions and classes that are in several files of tests, except programs."""
    seen: dict[str, Path] = {}
    for path in sorted((root / "tests").rglob("*.py")):
        if {"probes", "programs"} & set(path.parts):
            continue
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            text = _without_name(node) if isinstance(node, DEFINITIONS) else ""
            if text.count("\n") + 1 < MAX_REPEATED:
                continue
            first = seen.setdefault(text, path)
            if first != path:
                other = first.relative_to(root).as_posix()
                yield Finding(
                    path, node.lineno, f"stands also in {other}: import it from one module"
                )


def _without_name(node: ast.stmt) -> str:
    """Returns the text of a function or class without its name, comments and docstring."""
    assert isinstance(node, DEFINITIONS)
    body = node.body[ast.get_docstring(node) is not None :]
    head = "" if isinstance(node, ast.ClassDef) else ast.unparse(node.args)
    return "\n".join([head, *map(ast.unparse, body)])


def findings(root: Path) -> list[Finding]:
    """Returns all findings about the tests."""
    sources = layers.read(root / "src")
    lacking = [
        Finding(source.path, 1, f"needs tests/{folder(source).as_posix()}/test_{source.path.name}")
        for source in untested(root, sources)
    ]
    return [
        *lacking,
        *misplaced(root, sources),
        *sleeping(root),
        *repeated(root),
        *unordered(root),
    ]


def main() -> int:
    """Prints the findings, and returns 1 if there are any."""
    found = findings(ROOT)
    for finding in found:
        print(finding)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
