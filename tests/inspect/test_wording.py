"""The sentences of an explanation."""

import pytest

from gradtape._src.inspect import wording
from gradtape._src.inspect.explanation import Cause


@pytest.mark.parametrize("cause", Cause)
def test_every_cause_has_a_reason(cause):
    said = wording.reason(cause, "y", "x", "Floor", None, None, "")
    assert said == "" or said.endswith(".")
    assert "{" not in said


@pytest.mark.parametrize("cause", Cause)
def test_what_is_said_of_mending_names_the_source(cause):
    said = wording.mending(cause, "my_source", None, "")
    assert "{" not in said


def test_variables_break_the_path():
    said = wording.reason(Cause.STATE, "y", "x", "", None, None, "v")
    assert "assigned to the variable v" in said
    assert "assign it afterwards" in wording.mending(Cause.STATE, "x", None, "v")


def test_replaced_variables():
    said = wording.mending(Cause.VARIABLE_REPLACED, "w", None, "")
    assert "w.assign(...)" in said
    assert "tape.watch(w)" in said


def test_dependencies():
    assert "a" in wording.dependencies("y", ["a", "b"])
    assert "b" in wording.dependencies("y", ["a", "b"])
    assert "y" in wording.dependencies("y", [])
