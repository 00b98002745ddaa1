"""No public function accepts an argument and ignores it, but for those that are listed."""

import ast
import importlib
from pathlib import Path

import pytest
from unread_arguments import BY_NAME, BY_PLACE

TOOLS = Path(__file__).parents[1] / "tools"
LISTED = {place for places in BY_PLACE.values() for place in places}


@pytest.fixture(scope="module")
def checker():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(TOOLS))
        yield importlib.import_module("list_unread_arguments")


@pytest.mark.slow
def test_every_argument_is_read_or_listed(checker):
    places = {entry.split(":")[1] for entry in checker.found()}
    assert {p for p in places if p.rsplit(".", 1)[1] not in BY_NAME} == LISTED
    assert BY_NAME.keys() <= {p.rsplit(".", 1)[1] for p in places}


@pytest.mark.parametrize(
    ("source", "unread"),
    [
        ("def f(x, y): return x", ["f.y"]),
        ("def f(x, *args, **kwargs): return args", ["f.kwargs", "f.x"]),
        ("class A:\n def __init__(self, x): self.y = 1", ["A.__init__.x"]),
        ("def f(x):\n def g(): return x\n return g", []),
        ("def f(x): raise NotImplementedError", []),
        ("def f(x): return locals()", []),
        ("def _f(x): return 1", []),
        ("def result(new: New, x): return new([])", []),
        ("if True:\n def f(x): x = 1", ["f.x"]),
    ],
)
def test_what_the_check_finds(checker, source, unread):
    assert sorted(checker.unread(ast.parse(source))) == unread
