"""The types of `tf.function` name what it takes and what it makes."""

import inspect
import typing

import pytest

import gradtape as tf
from gradtape._src.graph import typed_function

pytestmark = pytest.mark.slow


def test_the_options_are_the_parameters_after_the_first_two():
    parameters = list(inspect.signature(tf.function).parameters)
    assert parameters[:2] == ["func", "input_signature"]
    assert set(parameters[2:]) == set(typed_function.FunctionOptions.__annotations__)


def test_a_function_has_what_its_type_says():
    made = tf.function(lambda x: x)
    own = vars(typed_function.TypedFunction)
    members = [n for n in own if not n.startswith("_")] + ["__call__", "__get__", "__name__"]
    assert len(members) > 8
    for name in members:
        assert hasattr(made, name)
        run = getattr(type(made), name, None)
        if callable(own.get(name)) and not name.startswith("_"):
            assert (
                str(inspect.signature(own[name])).partition(" ->")[0]
                == str(inspect.signature(run)).partition(" ->")[0]
            )


def test_overloads_keep_the_signature():
    first, second = typing.get_overloads(tf.function)
    assert first.__annotations__["return"] == "TypedFunction[P, R]"
    assert "TypedFunction[P, R]" in second.__annotations__["return"]
