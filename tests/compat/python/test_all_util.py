"""Modules of libraries that keep only some of their names."""

import sys
from types import ModuleType

import pytest

from gradtape._src.compat.python.all_util import make_all, remove_undocumented

NAME = "module_of_a_library"


@pytest.fixture
def module(monkeypatch):
    made = ModuleType(NAME, "A module.\n\n@@shown\n")
    made.shown = made.kept = made.helper = 1
    made._private = 2
    monkeypatch.setitem(sys.modules, NAME, made)
    return made


def public(module):
    return [name for name in vars(module) if not name.startswith("__")]


def test_a_docstring_lists_names(module):
    assert make_all(NAME) == ["shown"]
    assert make_all(NAME, []) == []


def test_other_names_are_removed(module):
    remove_undocumented(NAME, ["kept"])
    assert public(module) == ["shown", "kept", "_private"]
    remove_undocumented(NAME)
    assert public(module) == ["shown", "_private"]
