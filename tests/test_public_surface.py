"""The public names and their signatures are those of the file that is kept with the sources."""

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

TOOLS = Path(__file__).resolve().parents[1] / "tools"


@pytest.fixture(scope="module")
def surface():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(TOOLS))
        yield importlib.import_module("public_surface")


def test_it_is_what_the_file_says():
    """In a process of its own, whatever tests before have loaded."""
    command = [sys.executable, TOOLS / "public_surface.py", "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout == "", "run tools/public_surface.py if the change is meant"
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("function", "shown"),
    [
        (lambda x, /, y, *, z=1: 0, "(x, /, y, *, z=1)"),
        (lambda *args, k=None, **options: 0, "(*args, k=None, **options)"),
        (lambda x=int, y="a": 0, "(x=int, y='a')"),
        (print, "(*args, sep=' ', end='\\n', file=None, flush=False)"),
        (3, "(...)"),
    ],
)
def test_signatures(surface, function, shown):
    assert surface.signature(function) == shown


def test_members_are_those_of_our_classes(surface):
    class Base:
        def inherited(self, x): ...

        def _private(self): ...

    class Ours(Base):
        value = 1

        def __init__(self, a, b=2): ...

    outside = list(surface.members("Ours", Ours))
    assert outside == []  # this file is no part of gradtape
    Base.__module__ = Ours.__module__ = "gradtape.somewhere"
    found = sorted(surface.members("Ours", Ours))
    assert found == ["Ours.__init__(self, a, b=2)", "Ours.inherited(self, x)", "Ours.value"]


def test_a_name_that_is_another_is_told_once(surface):
    lines = list(surface.lines())
    assert "math.reduce_sum = reduce_sum" in lines or "reduce_sum = math.reduce_sum" in lines
    assert len(lines) == len(set(lines))
