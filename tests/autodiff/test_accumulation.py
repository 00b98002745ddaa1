"""Contributions to one gradient are added in place if the memory is not shared."""

import tracemalloc

import numpy as np
import pytest

import gradtape as tf


def _fan(y):
    return y * y + tf.exp(y) + 3 * y + y + y + tf.transpose(y) + tf.reshape(y, [-1])[0] + y[::-1]


def test_what_others_hold_stays():
    x = tf.constant(np.random.default_rng(0).random((4, 4)).astype("f4"))
    given = tf.constant(np.full((4, 4), 2, "f4"))
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.sin(x)
        middle = y + y
        z = _fan(y) + middle
    first = tape.gradient(z, [x, y, middle], output_gradients=given)
    kept = [g.numpy() for g in first]
    for _ in range(3):
        for g, g0 in zip(tape.gradient(z, [x, y, middle], given), kept, strict=True):
            np.testing.assert_array_equal(g, g0)
    for g, g0 in zip(first, kept, strict=True):
        np.testing.assert_array_equal(g, g0)
    np.testing.assert_array_equal(given, np.full((4, 4), 2))
    np.testing.assert_array_equal(y, np.sin(x.numpy()))
    v = y.numpy()
    at_first = np.zeros((4, 4), "f4")
    at_first[0, 0] = 16
    np.testing.assert_allclose(kept[1], 2 * (2 * v + np.exp(v) + 9 + at_first), rtol=1e-5)


def test_the_same_gradient_for_two_inputs_is_not_added_to_itself():
    x = tf.constant(np.ones((3, 3), "f4"))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x
        for _ in range(6):
            y = y + y
    assert tape.gradient(y, x).numpy().tolist() == [[64] * 3] * 3


@pytest.mark.parametrize("terms", [3, 30])
def test_the_peak_does_not_grow_with_the_terms(terms):
    x = tf.constant(np.ones((500, 500), "f4"))
    with tf.GradientTape() as tape:
        tape.watch(x)
        total = tf.reduce_sum(x[0, 0])
        for i in range(terms):
            total += tf.reduce_sum(x * float(i))
    tracemalloc.start()
    g = tape.gradient(total, x)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert g.numpy()[1, 1] == sum(range(terms))
    assert peak < 3.5e6, "three arrays of a megabyte"
