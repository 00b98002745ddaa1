"""The public modules are what the tool writes from the marks in the sources."""

import importlib
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def tool():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "tools"))
        yield importlib.import_module("generate_facades")


def test_they_are_up_to_date(tool):
    assert [str(f) for f, text in tool.pages().items() if f.read_text("utf-8") != text] == []


def test_a_name_is_exported_once(tool, monkeypatch):
    marks = [tool.Mark("a", "f", ("math.f",)), tool.Mark("b", "g", ("math.f",))]
    monkeypatch.setattr(tool, "marks", lambda kinds: marks)
    with pytest.raises(KeyError, match="exported by a and b"):
        tool.exports()


def test_a_public_module_must_be_there(tool):
    with pytest.raises(FileNotFoundError, match="no public module"):
        tool.facade("no.such")
