"""Lists public functions and classes whose docstrings lack a part that a reader needs.

    python tools/check_docstrings.py [ROOM ...]

A public function or method describes each parameter under `Args:`, and the result under `Returns:`;
a class describes its constructor's parameters under `Args:`. `tools/house.py` counts the missing
parts, and `tests/test_docstrings.py` runs the examples.
"""

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import check_layers as layers
from check_layers import Source

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = 250
"""The least number of docstrings with examples."""
NAMED = re.compile(r"^ +(\*{0,2}\w+(?:, \*{0,2}\w+)*):", re.MULTILINE)
NOTHING = {"None", "NoReturn", "Never"}
_Function = ast.FunctionDef | ast.AsyncFunctionDef
_Documented = ast.Module | ast.ClassDef | _Function


@dataclass(frozen=True)
class Lack:
    """A part that is missing in one docstring."""

    source: Source
    line: int
    name: str
    what: str

    def __str__(self) -> str:
        return f"{self.source.path}:{self.line}: {self.name} {self.what}"


def lacking(sources: dict[str, Source]) -> Iterator[Lack]:
    """Yields one entry for each public function, class or method with an incomplete docstring."""
    for source in sources.values():
        if source.room and not layers.is_generated(source):
            for node in source.tree.body:
                if isinstance(node, ast.ClassDef | _Function) and _is_exported(node):
                    yield from _of_definition(source, node)


def examples(sources: dict[str, Source]) -> Iterator[tuple[Source, int, str]]:
    """Yields the docstrings with examples: module, line and text."""
    for source in sources.values():
        if layers.is_generated(source):
            continue
        for node in source.nodes:
            if isinstance(node, _Documented):
                text = ast.get_docstring(node)
                if text is not None and ">>> " in text:
                    yield source, node.body[0].lineno, text


def _of_definition(source: Source, node: ast.ClassDef | _Function) -> Iterator[Lack]:
    if isinstance(node, _Function):
        what = _lack_of_function(node)
        if what:
            yield Lack(source, node.lineno, node.name, what)
        return
    made = next((f for f in node.body if isinstance(f, _Function) and f.name == "__init__"), None)
    text = ast.get_docstring(node) or ""
    names = _undocumented(text, made) if made is not None else []
    if not text or names:
        what = f"says nothing of {', '.join(names)}" if text else "has no docstring"
        yield Lack(source, node.lineno, node.name, what)
    for method in node.body:
        if isinstance(method, _Function) and _is_public_method(method):
            what = _lack_of_function(method)
            if what:
                yield Lack(source, method.lineno, f"{node.name}.{method.name}", what)


def _lack_of_function(node: _Function) -> str:
    text = ast.get_docstring(node)
    if text is None:
        return "has no docstring"
    names = _undocumented(text, node)
    if names:
        return f"says nothing of {', '.join(names)}"
    result = "None" if node.returns is None else ast.unparse(node.returns)
    if result not in NOTHING and not re.search(r"^(?:Returns|Yields):$", text, re.MULTILINE):
        return "does not say what it returns"
    return ""


def _undocumented(text: str, node: _Function) -> list[str]:
    """Returns the parameters that a docstring does not describe under `Args:`."""
    given = node.args
    names = [a.arg for a in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
    names += [a.arg for a in (given.vararg, given.kwarg) if a is not None]
    section = re.search(r"^Args:\n((?:[ \t].*\n?|\n)*)", text, re.MULTILINE)
    described = NAMED.findall(section[1] if section else "")
    known = {name.strip().lstrip("*") for entry in described for name in entry.split(",")}
    return [n for n in names if n not in {"self", "cls"} | known and not n.startswith("_")]


def _is_exported(node: ast.ClassDef | _Function) -> bool:
    return any(
        isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "export"
        for call in node.decorator_list
    )


def _is_public_method(node: _Function) -> bool:
    marks = [ast.unparse(d) for d in node.decorator_list]
    hidden = {"property", "cached_property", "functools.cached_property", "overload"}
    return not node.name.startswith("_") and not any(
        mark in hidden or mark.endswith((".setter", ".deleter")) for mark in marks
    )


def main() -> int:
    """Lists the missing parts in some rooms, or in all rooms."""
    sources = layers.read(ROOT / "src")
    rooms = tuple(sys.argv[1:])
    found = [lack for lack in lacking(sources) if not rooms or lack.source.room.startswith(rooms)]
    for lack in found:
        print(lack)
    print(f"{len(found)} left; {len(list(examples(sources)))} docstrings with examples")
    return 0


if __name__ == "__main__":
    sys.exit(main())
