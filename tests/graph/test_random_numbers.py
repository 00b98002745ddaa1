"""Random numbers that traced functions draw."""

import numpy as np
import pytest

import gradtape as tf

X = tf.fill([20], 2.0)


def _scan(x, n):
    return tf.scan(lambda s, e: e * tf.random.uniform([]), x, 0.0)


def _cond(x, n):
    return tf.cond(n > 0, lambda: x * tf.random.uniform([20]), lambda: x)


def _loop(x, n):
    def turn(i, w):
        return i + 1, w * tf.random.uniform([20]) * tf.nn.dropout(tf.ones([20]), 0.1)

    return tf.while_loop(lambda i, w: i < n, turn, (0, x))[1]


def _nested(x, n):
    return tf.while_loop(lambda i, w: i < n, lambda i, w: (i + 1, _cond(w, n)), (0, x))[1]


def _inner_function(x, n):
    noise = tf.function(lambda x: x * tf.random.normal([20]))
    return tf.cond(n > 0, lambda: noise(x), lambda: x)


CASES = [_scan, _cond, _loop, _nested, _inner_function]


@pytest.mark.parametrize("function", CASES)
@pytest.mark.parametrize("outside", [False, True])
def test_gradients_see_the_numbers_that_the_forward_pass_drew(function, outside):
    """Each function multiplies by random numbers, so that twice its gradient is its value."""
    traced = tf.function(function)

    @tf.function
    def whole(x, n):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x, n)
        return y, tape.gradient(y, x)

    for _ in range(3):
        if outside:
            with tf.GradientTape() as tape:
                tape.watch(X)
                y = traced(X, tf.constant(4))
            gradient = tape.gradient(y, X)
        else:
            y, gradient = whole(X, tf.constant(4))
        np.testing.assert_allclose(gradient * 2, y, rtol=1e-5)
        assert len(np.unique(y)) > 1


def test_turns_and_calls_draw_other_numbers_and_a_seed_repeats_them():
    @tf.function
    def f(n):
        numbers = tf.TensorArray(tf.float32, 6, element_shape=[])
        return tf.while_loop(
            lambda i, _: i < n,
            lambda i, a: (i + 1, a.write(i, tf.random.uniform([]) + tf.random.uniform([]))),
            (0, numbers),
        )[1].stack()

    def drawn():
        tf.random.set_seed(3)
        return np.concatenate([f(tf.constant(6)), f(tf.constant(6))]).tolist()

    first = drawn()
    assert len(set(first)) == 12
    assert drawn() == first


def test_a_generator_moves_on_by_the_calls_of_a_loop():
    generator = tf.random.Generator.from_seed(1)

    @tf.function
    def f(n):
        return tf.while_loop(
            lambda i, _: i < n, lambda i, y: (i + 1, y + generator.normal([])), (0, 0.0)
        )[1]

    assert len({float(f(tf.constant(3))) for _ in range(4)}) == 4


def test_a_variables_first_value_may_depend_on_arguments_and_other_variables():
    class Layer(tf.Module):
        def __init__(self):
            self.scale = None

        @tf.function
        def __call__(self, x):
            if self.scale is None:
                self.scale = tf.Variable(tf.reduce_sum(x))
                self.twice = tf.Variable(self.scale * 2.0)
            self.scale.assign_add(1.0)
            return x * self.twice

    layer = Layer()
    assert layer(tf.ones([2])).numpy().tolist() == [4.0, 4.0]
    assert (layer.scale.numpy(), layer.twice.numpy()) == (3.0, 4.0)
    layer(tf.ones([2]))
    assert layer.scale.numpy() == 4.0
