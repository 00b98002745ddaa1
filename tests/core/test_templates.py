"""Texts of code are filled in with their indentation, and tracebacks show their lines."""

from __future__ import annotations

import traceback

import pytest

from gradtape._src.core.templates import caught, filled, made


def test_a_part_on_a_line_of_its_own_is_indented():
    text = filled("def f():\n    $body\n    return $out\n", {"body": "a = 1\nb = 2", "out": "a"})
    assert text == "def f():\n    a = 1\n    b = 2\n    return a\n"


def test_an_empty_part_takes_its_line_away():
    assert filled("a = 1\n$none\nb = 2\n", {"none": ""}) == "a = 1\nb = 2\n"


def test_tracebacks_show_the_lines():
    scope = made("def f(x):\n    return 1 / x\n", "here.py", {})
    with pytest.raises(ZeroDivisionError) as error:
        scope["f"](0)
    assert traceback.extract_tb(error.value.__traceback__)[-1].line == "return 1 / x"


def test_a_call_that_fails_is_reported():
    errors = []
    text = caught("def f():\n    $call\n", "int('x')")
    scope = made(text, "here.py", {"shorten": errors.append})
    with pytest.raises(ValueError, match="invalid literal") as error:
        scope["f"]()
    assert errors == [error.value]
