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


def test_overloads_keep_the_signature():
    first, second = typing.get_overloads(tf.function)
    assert first.__annotations__["return"] == "TypedFunction[P, R]"
    assert "TypedFunction[P, R]" in second.__annotations__["return"]
