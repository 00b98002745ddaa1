"""The values that conditionals and loops carry: arrays of tensors, and structures."""

import pytest

import gradtape as tf


def test_an_array_as_a_loop_variable():
    @tf.function
    def squares(n):
        array = tf.TensorArray(tf.float32, size=4)

        def body(i, a):
            return i + 1, a.write(i, tf.cast(i * i, tf.float32))

        return tf.while_loop(lambda i, _: i < n, body, (0, array))[1].stack()

    assert squares(tf.constant(4)).numpy().tolist() == [0, 1, 4, 9]
    assert squares(tf.constant(2)).numpy().tolist() == [0, 1, 0, 0]


def test_gradients_reach_what_was_written():
    @tf.function
    def f(x, n):
        array = tf.TensorArray(tf.float32, size=3)

        def body(i, a):
            return i + 1, a.write(i, x * tf.cast(i + 1, tf.float32))

        return tf.reduce_sum(tf.while_loop(lambda i, _: i < n, body, (0, array))[1].stack())

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x, tf.constant(3))
    assert float(y) == 12
    assert float(tape.gradient(y, x)) == 6


def test_structures_are_carried():
    @tf.function
    def f(n):
        state = {"a": tf.constant(1.0), "b": (tf.constant([1.0, 2.0]),)}

        def body(i, s):
            return i + 1, {"a": s["a"] * 2.0, "b": (s["b"][0] + 1.0,)}

        return tf.while_loop(lambda i, _: i < n, body, (0, state))[1]

    found = f(tf.constant(3))
    assert float(found["a"]) == 8
    assert found["b"][0].numpy().tolist() == [4, 5]


def test_a_structure_must_stay_what_it_was():
    @tf.function
    def f(n):
        return tf.while_loop(
            lambda i, x: i < n, lambda i, x: (i + 1, (x, x)), (0, tf.constant(1.0))
        )

    with pytest.raises((TypeError, ValueError)):
        f(tf.constant(3))
