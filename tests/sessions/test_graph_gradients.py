from typing import Any

import numpy as np
import pytest

import gradtape as tf
from gradtape.compat import v1


def run(make, x=2.0):
    with tf.Graph().as_default(), v1.Session() as session:
        given = v1.placeholder(tf.float64, np.shape(x))
        return session.run(make(given), {given: x})


def test_gradients_of_any_order():
    def make(x):
        first = tf.gradients(x**3, x)[0]
        second = tf.gradients(first, [x])[0]
        return [first, second, tf.gradients(second, x)[0]]

    assert run(make) == [12.0, 12.0, 6.0]


def test_between_values_on_the_way():
    def make(x):
        y = x * x
        z = tf.sin(y)
        return [
            *tf.gradients(z, [y, x]),
            tf.gradients([y, z], y, [tf.constant(2.0, "float64"), None])[0],
        ]

    np.testing.assert_allclose(run(make), [np.cos(4), 4 * np.cos(4), 2 + np.cos(4)])


def test_what_does_not_depend_and_what_is_constant():
    def make(x):
        y = x * x
        assert tf.gradients(x, y) == [None]
        assert tf.gradients(y, [x], stop_gradients=[x])[0] is not None
        zero = tf.gradients(x, y, unconnected_gradients="zero")[0]
        return [zero, tf.gradients(x * y, x, stop_gradients=[y])[0]]

    assert run(make) == [0.0, 4.0]


def test_random_numbers_are_drawn_once():
    def make(x):
        noise = tf.random.normal([3], dtype=tf.float64)
        return [
            noise,
            tf.gradients(tf.reduce_sum(x * noise), noise)[0],
            tf.gradients(x * noise, x)[0],
        ]

    noise, by_noise, by_x = run(make)
    np.testing.assert_allclose(by_noise, [2.0, 2.0, 2.0])
    np.testing.assert_allclose(by_x, noise.sum())


def test_custom_gradients():
    @tf.custom_gradient
    def odd(x):
        return x * 2.0, lambda g: g * 100.0

    assert run(lambda x: tf.gradients(odd(x), x)[0]) == 100.0


@pytest.mark.parametrize(
    "function",
    [
        lambda x: tf.unique(x).y,
        lambda x: tf.unique_with_counts(x).y,
        lambda x: tf.range(0.0, x[0]),
        lambda x: tf.numpy_function(np.sin, [x], tf.float32),
    ],
)
def test_operations_without_gradients_connect_nothing(function: Any) -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None])
        y = tf.reduce_sum(function(x))
        assert tf.gradients(y, x) == [None]
        (slope,) = tf.gradients(y + tf.reduce_sum(x), x)
        assert session.run(slope, {x: [1.0, 2.0]}).tolist() == [1.0, 1.0]
