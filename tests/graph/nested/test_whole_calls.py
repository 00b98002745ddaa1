"""Lengths that only the run of a graph tells, and what is decided of them."""

import numpy as np
import pytest

import gradtape as tf


def test_a_mask_makes_a_new_length():
    shapes = []

    @tf.function
    def f(x):
        large = tf.boolean_mask(x, x > 1)
        shapes.append(large.shape.as_list())
        return large * 2 + 1

    assert f(tf.constant([1.0, 2.0, 3.0])).numpy().tolist() == [5, 7]
    assert f(tf.constant([1.0, 1.0, 3.0])).numpy().tolist() == [7]
    assert shapes == [[None]]


def test_what_was_decided_of_a_length_is_checked_when_it_is_known():
    @tf.function
    def f(x):
        return tf.argmax(tf.boolean_mask(x, x > 1))  # which refuses to be empty

    for _ in range(2):
        assert f(tf.constant([1.0, 2.0, 3.0])).numpy() == 1
    with pytest.raises(tf.errors.InvalidArgumentError):
        f(tf.constant([1.0, 1.0, 1.0]))
    assert f(tf.constant([5.0, 1.0, 1.0])).numpy() == 0


def test_effects_before_such_a_check_happen_once():
    v = tf.Variable(0)

    @tf.function
    def f(x):
        v.assign_add(1)
        large = tf.boolean_mask(x, x > 1)
        tf.print("seen")
        return tf.argmax(large)

    assert f(tf.constant([1.0, 2.0])).numpy() == 0
    with pytest.raises(tf.errors.InvalidArgumentError):
        f(tf.constant([1.0, 1.0]))
    assert v.numpy() == 2


def test_a_length_that_nobody_else_knows_keeps_its_source():
    @tf.function
    def f(x):
        return tf.zeros(tf.shape(tf.boolean_mask(x, x > 1))) + 7

    assert f(tf.constant([1.0, 2.0, 3.0])).numpy().tolist() == [7, 7]
    assert f(tf.constant([1.0, 2.0, 0.0])).numpy().tolist() == [7]
    assert f.experimental_get_tracing_count() == 1


def test_masks_meet_masks():
    @tf.function
    def f(x):
        return tf.boolean_mask(x, x > 1) + tf.boolean_mask(x, x < 3)

    for x in ([1.0, 2.0, 3.0], [2.0, 2.0, 2.0], [1.0, 1.0, 4.0]):
        given = tf.constant(x)
        expected = f.python_function(given)
        assert f(given).numpy().tolist() == expected.numpy().tolist()
    with pytest.raises(tf.errors.InvalidArgumentError):
        f(tf.constant([1.0, 2.0, 2.0, 3.0, 4.0]))


def test_functions_with_such_lengths_within_functions():
    @tf.function
    def inner(x):
        return tf.boolean_mask(x, x > 1)

    @tf.function
    def outer(x):
        y = inner(x)
        return tf.reduce_sum(y), tf.shape(y)[0], inner(y * 2)

    for x in ([1.0, 2.0, 3.0], [0.0, 0.0, 0.0]):
        given = tf.constant(x)
        expected = outer.python_function(given)
        for a, b in zip(outer(given), expected, strict=True):
            assert a.numpy().tolist() == b.numpy().tolist()


@pytest.mark.parametrize("order", [1, 2])
def test_gradients_through_such_lengths(order):
    def f(x):
        large = tf.boolean_mask(x, x > 1)
        return tf.reduce_sum(large * large * large) / tf.cast(tf.size(large), tf.float32)

    def derivative(function, x, order):
        if not order:
            return function(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(derivative(function, x, order - 1))
        return tape.gradient(y, x)

    traced = tf.function(f)
    for x in ([1.0, 2.0, 3.0], [1.0, 0.0, 4.0], [2.0, 2.0, 2.0]):
        given = tf.constant(x)
        expected = derivative(f, given, order)
        np.testing.assert_allclose(derivative(traced, given, order), expected, rtol=1e-6)


def test_set_shape_tells_the_graph():
    @tf.function
    def f(x):
        y = tf.boolean_mask(x, x > 1)
        y.set_shape([2])
        assert y.shape == [2]
        return y

    assert f(tf.constant([1.0, 2.0, 3.0])).numpy().tolist() == [2, 3]
    with pytest.raises(tf.errors.InvalidArgumentError):
        f(tf.constant([1.0, 1.0, 3.0]))
