"""Python functions as operations, conversions of the user's types, and printing."""

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
    with pytest.raises(ValueError, match="got 2"):
        tf.numpy_function(lambda a: (a, a), [x], [])
