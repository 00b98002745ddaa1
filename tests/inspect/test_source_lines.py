"""Places in the user's program."""

import inspect
import sys

import numpy as np

from gradtape._src.inspect import source_lines
from gradtape._src.inspect.source_lines import Place


def place():
    """The place of the line that calls this."""
    frame = sys._getframe(1)
    return Place.of((frame.f_code, frame.f_lasti, frame.f_lineno))


def test_where_the_program_stands():
    found = Place.of(source_lines.site())
    assert found.file == __file__
    assert found.line == sys._getframe().f_lineno - 2
    assert found.source.strip() == "found = Place.of(source_lines.site())"
    assert found.title == "test_source_lines.py"
    assert str(found.line) in str(found)


def test_files_that_are_not_the_users():
    assert source_lines.internal(np.linalg.__file__)
    assert source_lines.internal(inspect.__file__)
    assert not source_lines.internal(__file__)


def test_the_name_that_a_statement_binds():
    one = place()
    two, three = place(), 3
    assert source_lines.assigned_name(one) == "one"
    assert source_lines.assigned_name(two) is None
    assert three == 3


def test_statements_that_compute_a_name_anew():
    x = 1
    x = (x, place())
    y = place()
    assert source_lines.rebinds(x[1]) == "x"
    assert source_lines.rebinds(y) is None


def test_names_of_objects():
    something, frame = object(), sys._getframe()
    found = source_lines.name_in(frame, something), source_lines.name_in(frame, object())
    assert found == ("something", None)
    assert source_lines.name_in(None, something) is None


def test_calls_of_modules():
    found = [place(), np.mean(np.abs([1.0]))]
    statement = source_lines.statement_at(found[0])
    assert source_lines.calls(statement, "np", "numpy") == ["mean", "abs"]


def test_a_file_that_is_gone():
    assert source_lines.module_of("/no/such/file.py") is None
