"""The error of a gradient that is None is followed by a hint, once for each line."""

from __future__ import annotations

import subprocess
import sys

import pytest

import gradtape as tf
from gradtape._src.autodiff import none_gradients

PROGRAM = """
import gradtape as tf
x = tf.constant(3.0)
with tf.GradientTape() as tape:
    y = x * x
g = tape.gradient(y, x)
{use}
"""


def printed(use):
    command = [sys.executable, "-c", PROGRAM.format(use=use)]
    return subprocess.run(command, capture_output=True, text=True, check=False).stderr


@pytest.mark.parametrize(
    "use",
    [
        "0.1 * g",
        *(
            pytest.param(use, marks=pytest.mark.slow)
            for use in ("g + 1.0", "g.numpy()", "-g", "g[0]")
        ),
    ],
)
def test_an_error_that_python_raises_has_a_hint(use):
    message = printed(use)
    assert "NoneType" in message
    assert message.count("`tape.explain(target, source)` says why") == 1
    assert "<string>:6 is None" in message


@pytest.mark.slow
def test_an_error_that_has_the_hint_gets_no_other():
    message = printed("tf.Variable(1.0).assign_sub(g)")
    assert message.count("`tape.explain(target, source)` says why") == 1


def test_another_error_has_none():
    assert "tape.explain" not in printed("1 / 0")


def test_nothing_is_installed_before_a_gradient_is_none():
    program = """
import sys
before = sys.excepthook
import gradtape as tf
x = tf.Variable(3.0)
with tf.GradientTape() as tape:
    y = x * x
tape.gradient(y, x)
assert sys.excepthook is before
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def error_of_none(g):
    try:
        0.1 * g
    except TypeError as error:
        return error
    raise AssertionError


def test_a_line_gets_one_hint():
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        y = x * x
    g = tape.gradient(y, x)
    hints = [none_gradients.hint_for(error_of_none(g)) for _ in range(2)]
    assert "test_none_gradients.py" in hints[0]
    assert hints[1] is None


def test_zeros_are_no_mistake():
    before = dict(none_gradients._places)
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        y = x * x
    zero = tape.gradient(y, x, unconnected_gradients="zero")
    assert float(zero) == 0.0
    assert none_gradients._places == before


@pytest.mark.parametrize(
    ("file", "shown"),
    [
        ("<ipython-input-4-f530d36e0a5d>", "line 5 of cell 4"),
        ("/tmp/ipykernel_12/345.py", "line 5 of a cell"),
        ("program.py", "program.py:5"),
    ],
)
def test_cells_are_named_by_their_numbers(file, shown, monkeypatch):
    monkeypatch.setattr(none_gradients, "_hinted", set())
    program = PROGRAM.format(use="")[1:].replace("import gradtape as tf", "")
    scope = {"tf": tf}
    exec(compile(program, file, "exec"), scope)
    with pytest.raises(TypeError) as caught:
        exec(compile("0.1 * g", file, "exec"), scope)
    assert f"the gradient at {shown} is None" in none_gradients.hint_for(caught.value)
