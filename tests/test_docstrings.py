"""The examples in docstrings run, and print what stands below them."""

import builtins
import doctest
import importlib
import inspect
from operator import attrgetter
from pathlib import Path

import numpy as np
import pytest

import gradtape as tf

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parent.parent
with pytest.MonkeyPatch.context() as patch:
    patch.syspath_prepend(str(ROOT / "tools"))
    check_layers = importlib.import_module("check_layers")
    check_docstrings = importlib.import_module("check_docstrings")

SOURCES = check_layers.read(ROOT / "src")
EXAMPLES = list(check_docstrings.examples(SOURCES))
TEXTS = {inspect.cleandoc(text) for _, _, text in EXAMPLES}
MOST_USED = (ROOT / "tests" / "most_used.txt").read_text("utf-8").split()
"""The 200 functions and classes that published programs use most, the most used first."""
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE | doctest.FAIL_FAST


@pytest.mark.parametrize(
    ("source", "line", "text"), EXAMPLES, ids=[f"{s.name}:{line}" for s, line, _ in EXAMPLES]
)
def test_an_example_prints_what_stands_below_it(source, line, text, capsys):
    own = vars(importlib.import_module(source.name))
    hidden = {"annotations", *vars(builtins)}  # an example is no part of the module
    given = {name: value for name, value in own.items() if name not in hidden}
    given |= {"tf": tf, "np": np, "__name__": "__main__"}
    test = doctest.DocTestParser().get_doctest(text, given, source.name, str(source.path), line)
    assert test.examples
    failed, _ = doctest.DocTestRunner(optionflags=FLAGS).run(test)
    assert not failed, capsys.readouterr().out


def test_there_are_200_of_the_most_used_functions():
    assert len({attrgetter(name)(tf) for name in MOST_USED}) == 200


@pytest.mark.parametrize("name", MOST_USED)
def test_the_most_used_functions_have_examples_that_run(name):
    text = attrgetter(name)(tf).__doc__
    assert inspect.cleandoc(text) in TEXTS, f"tf.{name} has no example in its docstring"


def test_what_a_docstring_lacks_is_found(tmp_path):
    room = tmp_path / "gradtape" / "_src" / "ops"
    room.mkdir(parents=True)
    (tmp_path / "gradtape" / "__init__.py").write_text("")
    (room / "some.py").write_text(
        '''
@export("complete")
def complete(x: int, *more: int, name: str | None = None) -> int:
    """Adds numbers.

    Args:
      x: A number.
      *more: More of them.
      name: Accepted for compatibility.

    Returns:
      Their sum.

    >>> 1 + 1
    2
    """


@export("incomplete")
def incomplete(x: int, y: int) -> int:
    """Adds two numbers.

    Args:
      x: A number.
    """


@export("silent")
def silent(x: int) -> int:
    """Takes a number.

    Args:
      x: The number.
    """


@export("Kind")
class Kind:
    """A kind of thing."""

    def __init__(self, size: int) -> None:
        self.size = size

    def grow(self) -> None:
        """Makes it larger."""

    def shrink(self) -> "Kind":
        pass


def private(x: int) -> int:
    """Is not looked at."""
'''
    )
    sources = check_layers.read(tmp_path)
    found = {lack.name: lack.what for lack in check_docstrings.lacking(sources)}
    assert found == {
        "incomplete": "says nothing of y",
        "silent": "does not say what it returns",
        "Kind": "says nothing of size",
        "Kind.shrink": "has no docstring",
    }
    ((source, line, text),) = check_docstrings.examples(sources)
    assert source.name == "gradtape._src.ops.some"
    assert line == 4
    assert "1 + 1" in text
