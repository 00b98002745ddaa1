"""Lists the parameters of public functions that their bodies never read.

    python tools/list_unread_arguments.py

Such a parameter is accepted and ignored, which is a fault unless gradtape has no use for it.
tests/unread_arguments.py lists the intended ones.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

SOURCES = Path(__file__).parents[1] / "src" / "gradtape"
ALWAYS = {"self", "cls", "name", "_", "__"}
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def unread(tree: ast.AST, inside: str = "") -> Iterator[str]:
    """Yields `function.parameter` for each parameter that is never read."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef):
            if not node.name.startswith("_"):
                yield from unread(node, f"{inside}{node.name}.")
        elif isinstance(node, FUNCTIONS):
            public = not node.name.startswith("_") or node.name in ("__init__", "__call__")
            if public and not _says_nothing(node) and not _is_rule(node):
                for word in _parameters(node.args) - _names_read(node) - ALWAYS:
                    yield f"{inside}{node.name}.{word}"
        else:
            yield from unread(node, inside)


def _parameters(arguments: ast.arguments) -> set[str]:
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return {a.arg for a in (*every, arguments.vararg, arguments.kwarg) if a is not None}


def _names_read(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    nodes = [node for statement in function.body for node in ast.walk(statement)]
    names = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    return names | (_parameters(function.args) if "locals" in names else set())


def _is_rule(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a function is a rule, which takes the arguments of another function."""
    first = next(iter(function.args.args), None)
    return (
        first is not None
        and isinstance(first.annotation, ast.Name)
        and (first.annotation.id == "New")
    )


def _says_nothing(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a body is only a docstring or raises an error, as in abstract methods."""
    return all(
        isinstance(s, (ast.Raise, ast.Pass))
        or (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))
        for s in function.body
    )


def found() -> Iterator[str]:
    """Yields `file:function.parameter` for all sources."""
    for path in sorted(SOURCES.rglob("*.py")):
        where = path.relative_to(SOURCES).as_posix()
        for entry in sorted(unread(ast.parse(path.read_text(encoding="utf-8")))):
            yield f"{where}:{entry}"


if __name__ == "__main__":
    print("\n".join(found()))
