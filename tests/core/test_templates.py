"""Texts of code are filled in with their indentation, and tracebacks show their lines."""

from __future__ import annotations

import traceback

import numpy as np
import pytest

from gradtape._src.core.templates import (
    NO_PARAMETERS,
    caught,
    filled,
    is_named,
    made,
    of_path,
    parameters,
)


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


def test_frequent_parameters_are_named():
    usual = parameters(lambda x, *, axis, keepdims: x)
    assert usual == (
        ", *, axis, keepdims",
        ", axis=axis, keepdims=keepdims",
        "{'axis': axis, 'keepdims': keepdims}",
    )
    assert is_named(usual)


@pytest.mark.parametrize(
    "kernel",
    [
        np.exp,
        lambda x: x,
        lambda x, *, rarely: x,
        lambda x, *, axis=0: x,
        lambda x, *, axis, **others: x,
    ],
    ids=["ufunc", "none", "rare", "default", "any"],
)
def test_other_parameters_have_no_names(kernel):
    assert parameters(kernel) == (", **params", ", **params", "params")
    assert not is_named(parameters(kernel))


def test_a_kernel_without_parameters():
    assert parameters(lambda x, y: x, none=NO_PARAMETERS) == ("", "", "nothing")


def test_a_record_has_the_names_of_the_path():
    kept = "(in_x, out, ), ((in_x._value.shape, ), params, None)"
    assert of_path(kept, "{}") == "(x, out, ), ((a.shape, ), {}, None)"
