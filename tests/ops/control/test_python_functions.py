"""Python functions as operations, conversions of the user's types, and printing."""

import io

import numpy as np
import pytest

import gradtape as tf


def test_py_function_is_differentiated():
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.py_function(lambda a: a * a, [x], tf.float32)
    assert tape.gradient(y, x) == 6.0


def test_py_function_of_several_results():
    y, n = tf.py_function(lambda a, b: (a.numpy() * 2, b), [2.0, 3], [tf.float32, tf.int32])
    assert (float(y), int(n)) == (4.0, 3)
    assert tf.py_function(lambda a: None, [1.0], []) == []


def test_errors_in_a_py_function():
    with pytest.raises(tf.errors.InvalidArgumentError, match="dtype int32"):
        tf.py_function(lambda a: a, [1.0], tf.int32)
    with pytest.raises(tf.errors.UnknownError, match="ZeroDivisionError"):
        tf.py_function(lambda a: 1 / 0, [1.0], tf.float32)


def test_numpy_function_has_no_gradient():
    x = tf.constant([3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.numpy_function(np.square, [x], tf.float32)
    assert y == 9.0
    assert tape.gradient(y, x) is None
    with pytest.raises(ZeroDivisionError):
        tf.numpy_function(lambda a: 1 / 0, [x], tf.float32)
    with pytest.raises(ValueError, match="2 results"):
        tf.numpy_function(lambda a: (a, a), [x], [])


def test_a_type_of_the_users_becomes_a_tensor():
    class Celsius:
        def __init__(self, degrees):
            self.degrees = degrees

    def convert(value, dtype=None, name=None, as_ref=False):
        return tf.constant(value.degrees, dtype)

    tf.register_tensor_conversion_function(Celsius, convert)
    assert tf.constant(1.0) + Celsius(2.0) == 3.0
    with pytest.raises(TypeError, match="base_type"):
        tf.register_tensor_conversion_function(3, convert)
    with pytest.raises(TypeError, match="callable"):
        tf.register_tensor_conversion_function(Celsius, 3)


@pytest.mark.parametrize(
    ("values", "text"),
    [
        (["a", tf.constant([1.0, 2.0])], "a [1 2]"),
        ([3, [1, tf.constant(2)], {"k": tf.constant([1, 2])}], "3 [1, 2] {'k': [1 2]}"),
        ([tf.range(10)], "[0 1 2 ... 7 8 9]"),
        ([tf.constant([[1, 2], [3, 4]])], "[[1 2]\n [3 4]]"),
        ([tf.constant("s"), tf.constant(["a", "b"])], '"s" ["a" "b"]'),
        ([tf.constant(True), tf.Variable(2.0), None, 1.0], "1 2 None 1.0"),
        ([tf.constant([1 / 3, 1e-10, 1e5])], "[0.333333343 1e-10 100000]"),
        ([tf.constant(1 / 3, tf.float64)], "0.33333333333333331"),
    ],
)
def test_print(values, text):
    stream = io.StringIO()
    tf.print(*values, output_stream=stream)
    assert stream.getvalue() == text + "\n"


def test_print_to_other_places(tmp_path, capsys):
    tf.print("x", 1, sep="|", end="!")
    assert capsys.readouterr().err == "x|1!"
    path = tmp_path / "log.txt"
    for _ in range(2):
        tf.print(tf.range(9), summarize=1, output_stream=f"file://{path}")
    assert path.read_text() == "[0 ... 8]\n" * 2
    with pytest.raises(ValueError, match="output stream"):
        tf.print("x", output_stream="nowhere")


def test_gradients_of_graphs():
    x = tf.constant(1.0)
    with pytest.raises(RuntimeError, match="GradientTape"):
        tf.gradients(x, x)
