"""Conditionals and loops of traced functions, with tensors for conditions."""

import numpy as np
import pytest

import gradtape as tf


@pytest.mark.parametrize(("x", "y", "slope"), [(2.0, 4.0, 4.0), (-3.0, 3.0, -1.0)])
def test_a_choice_and_its_gradient(x, y, slope):
    @tf.function
    def f(x):
        return tf.cond(x > 0, lambda: x * x, lambda: -x)

    x = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        got = f(x)
    assert float(got) == y
    assert float(tape.gradient(got, x)) == slope


def test_a_loop_and_its_gradient():
    @tf.function
    def power(x, n):
        return tf.while_loop(lambda i, _: i < n, lambda i, y: (i + 1, y * x), (0, 1.0))[1]

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = power(x, tf.constant(5))
    assert float(y) == 32
    assert float(tape.gradient(y, x)) == 80


def test_variables_that_branches_write():
    v = tf.Variable(1.0)

    @tf.function
    def f(flag):
        tf.cond(flag, lambda: v.assign(5.0), lambda: v.assign_add(1.0))
        return v.read_value()

    assert float(f(tf.constant(False))) == 2
    assert float(f(tf.constant(True))) == 5
    assert float(v) == 5


def test_folds_over_rows():
    @tf.function
    def sums(x):
        return tf.scan(lambda a, b: a + b, x), tf.foldl(lambda a, b: a - b, x)

    running, last = sums(tf.constant([1.0, 2.0, 3.0]))
    np.testing.assert_array_equal(running, [1, 3, 6])
    assert float(last) == -4


def test_what_a_loop_carries_keeps_its_dtype():
    @tf.function
    def f(n):
        return tf.while_loop(lambda i: i < n, lambda i: (tf.cast(i, tf.float32),), (n * 0,))

    with pytest.raises(TypeError):
        f(tf.constant(3))
