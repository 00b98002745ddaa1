"""Tracebacks show the program's lines, and of the library the function that was called."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import traceback

import pytest

import gradtape as tf
from gradtape._src.core.tracebacks import is_ours, located, shorten


def frames(call):
    with pytest.raises(Exception) as caught:
        call()
    found = traceback.extract_tb(caught.value.__traceback__)
    return [f.name for f in found if is_ours(f.filename)]


def product():
    tf.matmul(tf.ones([2, 3]), tf.ones([2, 3]))


def test_two_frames_of_an_operation_are_left():
    assert frames(product) in (
        ["matmul", "run"],
        ["matmul"],
    )  # the latter, where ragged tensors are


def test_the_filter_leaves_the_function_alone():
    tf.debugging.enable_traceback_filtering()
    assert tf.debugging.is_traceback_filtering_enabled()
    assert frames(product) == ["matmul"]
    assert tf.matmul(tf.eye(2), tf.eye(2)).shape == [2, 2]


def test_without_the_filter_all_frames_are_there():
    tf.debugging.disable_traceback_filtering()
    assert not tf.debugging.is_traceback_filtering_enabled()
    assert len(frames(product)) > 2


def test_functions_have_the_code_that_was_written_unless_the_filter_was_asked_for():
    # alone in a process: a type for which a function was registered changes its code, too
    program = """
import gradtape as tf
written = tf.add.__code__
tf.debugging.enable_traceback_filtering()
print(tf.add.__code__ is written)
tf.debugging.disable_traceback_filtering()
print(tf.add.__code__ is written)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("False\nTrue\n", "")


def test_ragged_tensors_find_their_functions_while_the_filter_is_on():
    ragged = tf.ragged.constant([[1.0], [2.0, 3.0]])
    tf.debugging.enable_traceback_filtering()
    assert tf.reduce_sum(ragged, axis=1).numpy().tolist() == [1.0, 5.0]
    assert frames(lambda: tf.reduce_sum(ragged, axis=5)) == ["reduce_sum"]


@pytest.mark.parametrize("jit", [False, True])
def test_the_frame_of_the_program_in_a_function_has_its_variables(jit):
    if jit:
        pytest.importorskip("jax")

    @tf.function(jit_compile=jit)
    def f(x):
        doubled = 2.0 * x
        return tf.matmul(doubled, doubled)

    with pytest.raises(ValueError, match="Matrix size-incompatible") as caught:
        f(tf.ones([2, 3]))
    inside = [
        t for t, _ in traceback.walk_tb(caught.value.__traceback__) if t.f_code.co_name == "f"
    ]
    assert [frame.f_locals["doubled"].shape for frame in inside] == [[2, 3]]


def test_an_error_of_a_later_run_points_to_the_line_that_was_traced():
    @tf.function
    def f(x, i):
        y = tf.gather(x, i) + 1.0
        return y * 2.0

    for _ in range(3):  # by the interpreter, then by the program
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            f(tf.ones([2]), tf.constant([7]))
        last = traceback.extract_tb(caught.value.__traceback__)[-1]
        assert (last.name, last.line) == ("f", "y = tf.gather(x, i) + 1.0")
        assert "gather" in last.line[last.colno - 8 : last.end_colno - 8]


def test_lines_of_a_function_that_an_operation_calls_are_kept():
    def failing(x):
        raise KeyError("of the program")

    with pytest.raises(KeyError) as caught:
        tf.map_fn(failing, tf.ones([2]))
    assert "failing" in [f.name for f in traceback.extract_tb(caught.value.__traceback__)]


def caught_in_the_program():
    with pytest.raises(KeyError) as caught:
        {}["missing"]
    return caught.value


def test_what_has_no_frame_of_ours_is_left_as_it_is():
    error = caught_in_the_program()
    before = traceback.extract_tb(error.__traceback__)
    shorten(error)
    assert traceback.extract_tb(error.__traceback__) == before


def test_a_line_that_is_running_is_not_named_again():
    error = caught_in_the_program()
    trace = error.__traceback__
    assert located(error, product.__code__, (1, 1, 0, 1)).__traceback__ is trace


PROGRAM = """
import gradtape as tf

@tf.function(jit_compile={jit})
def f(x):
    wanted = x * 2.0
    return tf.matmul(wanted, wanted)

def test_f():
    f(tf.ones([2, 3]))
"""


@pytest.mark.slow
@pytest.mark.parametrize("jit", [False, True])
def test_pytest_stops_at_the_line_in_the_function(jit, tmp_path):
    if jit:
        pytest.importorskip("jax")
    file = tmp_path / "test_program.py"
    file.write_text(PROGRAM.format(jit=jit))
    command = [sys.executable, "-m", "pytest", "-q", "--showlocals", "-p", "no:cacheprovider"]
    shown = subprocess.run(
        [*command, str(file)], capture_output=True, text=True, check=False, cwd=tmp_path
    ).stdout
    assert "return tf.matmul(wanted, wanted)" in shown
    assert "wanted     = " in shown


@tf.function
def failing(x):
    kept = x * 2.0
    return tf.matmul(kept, kept)


def last_frame(call):
    with pytest.raises(Exception) as caught:
        call()
    return [frame for frame, _ in traceback.walk_tb(caught.value.__traceback__)][-1]


@pytest.mark.parametrize("jit", [False, True])
def test_a_debugger_stops_in_the_users_frame_of_a_compiled_function(jit):
    if jit:
        pytest.importorskip("jax")
    compiled = tf.function(failing.python_function, jit_compile=jit)
    frame = last_frame(lambda: compiled(tf.ones([2, 3])))
    assert frame.f_code.co_name == "failing"
    assert frame.f_locals["kept"].shape == [2, 3]


def test_of_keras_the_line_at_fault_is_shown():
    if importlib.util.find_spec("keras") is None:
        pytest.skip("needs Keras")
    model = tf.keras.Sequential([tf.keras.layers.Input((3,)), tf.keras.layers.Dense(3)])
    model.compile(loss="mse", optimizer="sgd")
    frame = last_frame(lambda: model.fit(tf.ones([4, 3]), tf.ones([4, 7]), verbose=0))
    assert frame.f_code.co_name == "mean_squared_error"


def test_pytest_leaves_out_the_library(tmp_path):
    file = tmp_path / "test_users.py"
    file.write_text(
        "import gradtape as tf\n"
        "def test_eager():\n"
        "    tf.matmul(tf.ones([2, 3]), tf.ones([2, 3]))\n"
        "def test_operator():\n"
        "    tf.ones([2]) + tf.ones([3])\n"
        "def test_all_lines():\n"
        "    tf.debugging.disable_traceback_filtering()\n"
        "    tf.matmul(tf.ones([2, 3]), tf.ones([2, 3]))\n"
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(file)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    short, _, whole = done.stdout.partition("test_all_lines")
    assert "matmul.py" not in short
    assert "straight_paths" not in short
    assert f"{file.name}:3: InvalidArgumentError" in short
    assert f"{file.name}:5: InvalidArgumentError" in short
    assert "matmul.py" in whole
