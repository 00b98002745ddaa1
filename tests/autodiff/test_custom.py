"""Functions whose intermediate results are computed again for the gradient."""

import pytest

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
