"""Each test draws the same numbers, whichever tests ran before it."""

import random
import sys
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gradtape as tf


def drawn():
    """Numbers from all that a test may draw from without a seed of its own."""
    return [
        float(tf.random.normal([])),
        float(tf.random.normal([], seed=3)),
        np.random.random(),
        random.random(),
    ]


@pytest.mark.parametrize("turn", range(2))
def test_numbers_without_a_seed_begin_with_the_test(turn):
    tf.random.set_seed(turn)  # as some test before this one may have done
    assert drawn() != drawn()


@pytest.fixture(scope="module")
def of_tests():
    return []


@pytest.mark.parametrize("turn", range(2))
def test_numbers_are_the_same_in_each_test(turn, of_tests):
    of_tests.append(drawn())
    assert of_tests[-1] == of_tests[0]
    assert drawn() != of_tests[0]


def test_examples_do_not_depend_on_the_modules_that_are_loaded(tmp_path, monkeypatch):
    found = []

    @given(st.integers())
    def example(x):
        found.append(x)

    example()
    before = found[:]
    file = tmp_path / "constants.py"
    file.write_text(f"NUMBERS = {list(range(10_000, 11_000))}")
    module = ModuleType("constants")
    module.__file__ = str(file)
    monkeypatch.setitem(sys.modules, "constants", module)
    found.clear()
    example()
    assert before == found != []
