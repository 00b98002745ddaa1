"""Functions whose intermediate results are computed again for the gradient."""

import numpy as np
import pytest
from checks import gradient_of

import gradtape as tf


@pytest.mark.parametrize("make", [tf.constant, tf.Variable])
def test_an_argument_passed_twice_counts_once_for_each_place(make):
    x = make(3.0)
    f = tf.recompute_grad(lambda a, b: (a * b, a + b))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x, x)
    assert tape.gradient(y, x) == 2 * 3.0 + 2.0


def test_arguments_in_a_structure():
    x = tf.constant(3.0)
    f = tf.recompute_grad(lambda d, k: tf.sin(d["a"]) * d["b"] * k)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f({"a": x, "b": tf.constant(2.0)}, 5.0)
    assert tape.gradient(y, x) == 10.0 * tf.cos(3.0)


def test_custom_gradient_lets_closed_over_tensors_through_where_no_argument_is_watched():
    w, x = tf.constant(2.0), tf.constant(3.0)

    @tf.custom_gradient
    def f(a):
        return a * w, lambda dy: dy * 5

    with tf.GradientTape() as tape:
        tape.watch(w)
        y = f(x)
    assert float(tape.gradient(y, w)) == 3.0
    g = gradient_of(lambda w, x: f(x), w, x)
    assert g[0] is None
    assert float(g[1]) == 5.0


def test_numpy_inside_is_no_lost_gradient():
    @tf.custom_gradient
    def sine(x):
        return tf.constant(np.sin(x)), lambda dy: dy * np.cos(x)

    x = tf.Variable([0.5, 1.0], dtype=tf.float64)
    with tf.GradientTape() as tape:
        y = sine(2.0 * x)  # warnings are errors in tests
        with pytest.warns(UserWarning, match="NumPy took the value"):
            np.sin(y)
    np.testing.assert_allclose(tape.gradient(y, x), 2 * np.cos([1.0, 2.0]))
