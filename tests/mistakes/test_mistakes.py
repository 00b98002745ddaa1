"""Typical mistakes raise what TensorFlow raises, with a reviewed message and a short traceback."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

import gradtape as tf

from .programs import PROGRAMS
from .running import run
from .ways import WAYS

ANSWERS = json.loads(Path(__file__).with_name("answers.json").read_text())
DIFFERENT = {
    "convolution_of_rank_3": "TensorFlow ends the process",
    "error_in_own_loss_compiled": "TensorFlow traces the step for batches of any size",
}
"""The programs for which TensorFlow raises something else, and why."""


def raised(name):
    if "tf.keras" in PROGRAMS[name]:
        if importlib.util.find_spec("keras") is None:
            pytest.skip("needs Keras")
        tf.keras.backend.clear_session(free_memory=False)  # names of layers are numbered anew
    if "jit_compile=True" in PROGRAMS[name]:
        pytest.importorskip("jax")
    return run(name, PROGRAMS[name], tf)


def test_there_are_as_many_as_people_make():
    assert len(PROGRAMS) >= 76
    assert PROGRAMS.keys() == ANSWERS.keys()


NOT_INSIDE = {
    "signature": "the function is not called",
    "too_many_arguments_of_function": "the function is not called",
    "returned_object": "the function has returned",
    "variable_made_at_each_call": "the function has returned",
    "generator_of_other_shape": "the generator is not at fault while it runs",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_raised(name):
    """`python tests/mistakes/record.py gradtape` writes messages again, for a review."""
    found = raised(name)
    assert found.kind
    assert (found.kind == ANSWERS[name]["tensorflow"][0]) != (name in DIFFERENT)
    assert found.message[:2000] == ANSWERS[name]["gradtape"][1]
    assert found.frames <= 2  # of gradtape's
    inside = [line.strip() for line in PROGRAMS[name].splitlines() if line.startswith(" ")]
    if inside and name not in NOT_INSIDE and ("def " in PROGRAMS[name] or "lambda" in name):
        assert found.lines[-1].strip() in inside  # lines of the program's functions are kept


@pytest.fixture
def strict():
    tf.debugging.enable_traceback_filtering()


@pytest.mark.usefixtures("strict")
@pytest.mark.parametrize("name", PROGRAMS)
def test_only_the_function_that_was_called_is_left_by_the_filter(name):
    assert raised(name).frames <= 1


@pytest.mark.parametrize(
    "program", [PROGRAMS["fit_of_other_shapes"], WAYS["keras_fit_runtime"]], ids=["label", "index"]
)
def test_compiled_steps_check_no_values(program):
    """As in TensorFlow. On a GPU, Keras compiles the steps of `fit` by default."""
    if importlib.util.find_spec("keras") is None:
        pytest.skip("needs Keras")
    pytest.importorskip("jax")
    compiled = program.replace("jit_compile=False", "jit_compile=True")
    assert compiled != program
    assert run("compiled", compiled, tf).kind == ""
