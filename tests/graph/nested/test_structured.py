"""Conditionals and loops as operations: differentiable to any order, and for many examples."""

import numpy as np
import pytest

import gradtape as tf


@tf.function
def power(x, n):
    return tf.while_loop(lambda i, _: i < n, lambda i, y: (i + 1, y * x), (0, 1.0))[1]


@tf.function
def bent(x):
    return tf.cond(x > 0, lambda: x * x * x, lambda: -x)


@pytest.mark.parametrize(
    ("function", "values"),
    [(lambda x: power(x, tf.constant(4)), [16, 32, 48]), (bent, [8, 12, 12])],
)
def test_second_derivatives(function, values):
    x = tf.constant(2.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        g = tape.gradient(y, x)
    assert [float(v) for v in (y, g, outer.gradient(g, x))] == values


def linear_in_nested_branches(x, y):
    return tf.cond(x[0] > 0, lambda: tf.cond(x[1] > 1, lambda: 2 * x + y, lambda: x), lambda: y)


@pytest.mark.parametrize(
    ("function", "second"),
    [  # by pairs of sources, as TensorFlow has them: all are zeros if one branch is not linear
        (lambda x, y: tf.cond(x[0] > 0, lambda: 2 * x + y, lambda: x - 3 * y), [None] * 4),
        (linear_in_nested_branches, [None] * 4),
        (lambda x, y: tf.cond(x[0] > 0, lambda: 2 * x + y, lambda: x * x - y), [0, 0, 0, 0]),
        (lambda x, y: tf.cond(x[0] > 0, lambda: x * y, lambda: x - y), [0, 1, 1, 0]),
    ],
)
def test_second_derivatives_of_linear_branches(function, second):
    @tf.function
    def derivatives(x, y):
        with tf.GradientTape(persistent=True) as outer:
            outer.watch([x, y])
            with tf.GradientTape() as tape:
                tape.watch([x, y])
                z = function(x, y)
            slopes = tape.gradient(z, [x, y])
        return [outer.gradient(slope, by) for slope in slopes for by in (x, y)]

    found = derivatives(tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0]))
    assert [None if d is None else d.numpy().tolist() for d in found] == [
        None if d is None else [d, d] for d in second
    ]


def test_a_gradient_of_one_result_by_all_that_a_conditional_depends_on():
    @tf.function
    def gradients(x, y):
        with tf.GradientTape() as tape:
            tape.watch([x, y])
            first, _ = tf.cond(x > 0, lambda: (2 * x, 3 * y), lambda: (x, y))
        return tape.gradient(first, [x, y])

    assert [float(d) for d in gradients(tf.constant(1.0), tf.constant(2.0))] == [2, 0]


def test_many_examples_at_once():
    x = tf.constant([1.0, 2.0, 3.0])
    got = tf.vectorized_map(lambda row: power(row, tf.constant(3)), x)
    np.testing.assert_array_equal(got, [1, 8, 27])


def test_a_choice_that_differs_by_example():
    x = tf.constant([-2.0, 2.0])
    with pytest.warns(UserWarning, match="once per row"):
        got = tf.vectorized_map(bent, x)
    np.testing.assert_array_equal(got, [2, 8])


@tf.function
def one_of_two_counts(x, y):
    if y[0] > 0:
        x = x * 2.0
    else:
        y = y * 3.0
    return y * y


@tf.function
def both_count(x, y):
    return x * y * y if y[0] > 0 else x + y * y


@pytest.mark.parametrize(("function", "first"), [(one_of_two_counts, False), (both_count, True)])
def test_second_derivatives_by_an_input_without_influence_are_none(function, first):
    x, y = tf.constant([1.0, 2.0]), tf.constant([2.0, 3.0])
    with tf.GradientTape() as outer:
        outer.watch([x, y])
        with tf.GradientTape() as tape:
            tape.watch([x, y])
            z = function(x, y)
        by_x, by_y = tape.gradient(z, [x, y])
    assert (by_x is not None) is first
    twice_by_x, twice_by_y = outer.gradient(by_y, [x, y])
    assert (twice_by_x is not None) is first
    np.testing.assert_array_equal(twice_by_y, [2, 4] if first else [2, 2])


def test_a_variable_that_one_branch_assigns_has_no_gradient():
    v = tf.Variable([1.0, 2.0])

    @tf.function
    def function(x, n):
        if n == 0:
            return x
        v.assign_add(x)
        return x * x

    for n, slope in ((0, [1, 1]), (1, [2, 4])):
        x = tf.constant([1.0, 2.0])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x, tf.constant(n))
        by_x, by_v = tape.gradient(y, [x, v])
        np.testing.assert_array_equal(by_x, slope)
        assert by_v is None
