"""Tapes within tapes, and what each of them sees."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tolerances import close

import gradtape as tf


def derivative(function):
    def derived(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        return tape.gradient(y, x, unconnected_gradients="zero")

    return derived


@pytest.mark.parametrize("order", range(1, 7))
def test_derivatives_of_any_order(order):
    function = tf.sin
    for _ in range(order):
        function = derivative(function)
    want = [np.cos, lambda x: -np.sin(x), lambda x: -np.cos(x), np.sin][(order - 1) % 4]
    close(function(tf.constant(0.7, tf.float64)), want(0.7))


@settings(deadline=None, max_examples=25)
@given(st.lists(st.integers(-3, 3), min_size=1, max_size=5), st.integers(1, 4))
def test_derivatives_of_polynomials(coefficients, order):
    polynomial = np.polynomial.Polynomial(coefficients)

    def function(x):
        y = x * 0.0
        for c in reversed(coefficients):
            y = y * x + float(c)
        return y

    for _ in range(order):
        function = derivative(function)
    close(function(tf.constant(1.25, tf.float64)), polynomial.deriv(order)(1.25))


def test_an_inner_gradient_inside_the_outer_tape_is_recorded():
    x = tf.constant(2.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = x * x * x
        g = inner.gradient(y, x)
    assert float(outer.gradient(g, x)) == 12.0


def test_an_inner_gradient_outside_the_outer_tape_is_not():
    x = tf.constant(2.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = x * x * x
    g = inner.gradient(y, x)
    assert outer.gradient(g, x) is None


def test_the_outer_tape_may_answer_within_the_inner_one():
    """The order in which two tapes are entered does not decide which one differentiates the
    other."""
    x = tf.constant(2.0)
    with tf.GradientTape() as first:
        first.watch(x)
        with tf.GradientTape() as second:
            second.watch(x)
            y = x * x * x
        z = second.gradient(y, x) * x
    assert float(first.gradient(z, x)) == 36.0


def test_two_tapes_side_by_side_record_the_same_operations():
    x, y = tf.constant(2.0), tf.constant(5.0)
    with tf.GradientTape() as one, tf.GradientTape() as two:
        one.watch(x)
        two.watch(y)
        z = x * y * y
    assert float(one.gradient(z, x)) == 25.0
    assert float(two.gradient(z, y)) == 20.0


def test_a_tape_sees_only_its_own_sources():
    x, y = tf.constant(2.0), tf.constant(5.0)
    with tf.GradientTape() as one, tf.GradientTape() as two:
        one.watch(x)
        two.watch(y)
        z = x * y
    assert one.gradient(z, y) is None
    assert two.gradient(z, x) is None


def test_stop_recording_stops_one_tape_alone():
    x = tf.constant(3.0)
    with tf.GradientTape() as one, tf.GradientTape() as two:
        one.watch(x)
        two.watch(x)
        with two.stop_recording():
            y = x * x
    assert float(one.gradient(y, x)) == 6.0
    assert two.gradient(y, x) is None


def test_stop_recording_out_of_order():
    x = tf.constant(3.0)
    with tf.GradientTape() as one, tf.GradientTape() as two:
        one.watch(x)
        two.watch(x)
        with one.stop_recording():
            y = x * x
        z = x * x * x
    assert one.gradient(y, x) is None
    assert float(two.gradient([y, z], x)) == 33.0


def test_tapes_may_be_left_in_any_order():
    x = tf.constant(3.0)
    one, two = tf.GradientTape(), tf.GradientTape()
    one.__enter__()
    two.__enter__()
    one.watch(x)
    two.watch(x)
    y = x * x
    one.__exit__(None, None, None)
    z = y * x
    two.__exit__(None, None, None)
    assert one.gradient(z, x) is None
    assert float(two.gradient(z, x)) == 27.0


def test_a_gradient_penalty():
    """A norm of an input gradient, differentiated by the weights."""
    w, x = tf.Variable([[1.0], [2.0]]), tf.constant([[3.0, 4.0]])
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.reduce_sum((x @ w) * (x @ w))
        g = inner.gradient(y, x)  # 2 (x w) w'
        penalty = tf.reduce_sum(g * g)  # 4 (x w)² |w|²
    xw, norm = 11.0, 5.0
    want = 4 * (2 * xw * norm * np.array([[3.0], [4.0]]) + xw**2 * 2 * np.array([[1.0], [2.0]]))
    np.testing.assert_allclose(outer.gradient(penalty, w), want, rtol=1e-5)


def test_an_output_gradient_can_itself_be_differentiated():
    x, u = tf.constant(3.0), tf.constant(10.0)
    with tf.GradientTape() as outer:
        outer.watch([x, u])
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = x * x
        g = inner.gradient(y, x, output_gradients=u)
    assert [float(d) for d in outer.gradient(g, [x, u])] == [20.0, 6.0]


def test_mixed_second_derivatives():
    x, y = tf.constant(2.0), tf.constant(3.0)
    with tf.GradientTape(persistent=True) as outer:
        outer.watch([x, y])
        with tf.GradientTape() as inner:
            inner.watch([x, y])
            z = x * x * y * y * y
        gx, gy = inner.gradient(z, [x, y])
    assert [float(d) for d in outer.gradient(gx, [x, y])] == [54.0, 108.0]
    assert [float(d) for d in outer.gradient(gy, [x, y])] == [108.0, 72.0]


def test_third_order_by_one_persistent_tape():
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x * x * x
        with tape.stop_recording():
            pass
        g = tape.gradient(y, x)
        h = tape.gradient(g, x)
    assert float(tape.gradient(h, x)) == 48.0


def test_the_gradient_of_a_bias_is_one_operation_for_an_outer_tape():
    x, bias = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), tf.constant([0.5, -1.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(bias)
            y = (x + bias) * (x + bias)
        before = len(outer.records)
        slope = inner.gradient(y, bias)
    assert [r[0].primitive.name for r in outer.records[before:]].count("Reshape") == 0
    np.testing.assert_allclose(slope, 2 * np.sum(x + bias, 0), rtol=1e-6)
    assert outer.gradient(slope, x).numpy().tolist() == [[2.0, 2.0]] * 3
