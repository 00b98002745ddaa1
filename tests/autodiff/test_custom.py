"""Functions whose intermediate results are computed again for the gradient."""

import pytest

import gradtape as tf


def gradient(function, *xs):
    with tf.GradientTape() as tape:
        tape.watch(xs)
        y = function(*xs)
    return tape.gradient(y, xs)


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
    g = gradient(lambda w, x: f(x), w, x)
    assert g[0] is None
    assert float(g[1]) == 5.0
