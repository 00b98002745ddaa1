"""Finding the definition of a function in its file."""

import ast
import linecache
from pathlib import Path

import pytest

from gradtape._src.autograph.source import NoSourceError, arguments_of, definition_of

PAIR = (lambda x: x + 1, lambda x: x + 2)
NESTED = lambda x: lambda y: y * x


def positions(node):
    return [
        (n.lineno, n.col_offset, n.end_lineno, n.end_col_offset)
        for n in ast.walk(node)
        if hasattr(n, "lineno")
    ]


class Holder:
    def method(self, a, *rest, b=1, **more):
        text = """
    less indented
"""
        return a + len(text)


def test_positions_are_those_in_the_file():
    whole = ast.parse(Path(__file__).read_text(encoding="utf-8"))
    there = next(n for n in ast.walk(whole) if getattr(n, "name", "") == "method")
    found = definition_of(Holder.method)
    assert positions(found) == positions(there)
    assert [a.arg for a in arguments_of(found.args)] == ["self", "a", "b", "rest", "more"]


@pytest.mark.parametrize("k", [0, 1])
def test_lambdas_on_one_line_are_told_apart(k):
    assert ast.unparse(definition_of(PAIR[k])) == f"lambda x: x + {k + 1}"


def test_a_lambda_in_a_lambda():
    assert ast.unparse(definition_of(NESTED)) == "lambda x: lambda y: y * x"
    assert ast.unparse(definition_of(NESTED(2))) == "lambda y: y * x"


def test_every_tree_is_a_new_one():
    assert definition_of(PAIR[0]) is not definition_of(PAIR[0])


@pytest.mark.parametrize(
    "now", ["\n\n\n", "def g(x):\n    return x\n", "def f(x, y):\n    return x\n", "def f(:\n"]
)
def test_a_file_that_has_changed(monkeypatch, now):
    space = {}
    exec(compile("def f(x):\n    return x\n", "<changed>", "exec"), space)
    entry = (len(now), None, now.splitlines(keepends=True), "<changed>")
    monkeypatch.setitem(linecache.cache, "<changed>", entry)
    with pytest.raises(NoSourceError, match="the file has changed since it was loaded"):
        definition_of(space["f"])
