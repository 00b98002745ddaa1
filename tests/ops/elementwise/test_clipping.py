"""Values between bounds."""

import numpy as np
import pytest

import gradtape as tf


def test_values_and_gradients_at_the_bounds():
    x = tf.constant([-2.0, -1.0, 0.5, 1.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.clip_by_value(x, -1.0, 1.0)
    assert y.numpy().tolist() == [-1, -1, 0.5, 1, 1]
    assert tape.gradient(y, x).numpy().tolist() == [0, 1, 1, 1, 0]


def test_bounds_broadcast():
    got = tf.clip_by_value([[1, 5], [7, 2]], [2, 3], [[4], [6]])
    assert got.numpy().tolist() == [[2, 4], [6, 3]]


def test_gradients_by_the_bounds():
    low, high = tf.constant(0.0), tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch([low, high])
        y = tf.clip_by_value(tf.constant([-3.0, -1.0, 0.5, 2.0]), low, high)
    assert [float(g) for g in tape.gradient(y, [low, high])] == [2, 1]


def test_slices_are_clipped_row_by_row():
    rows = tf.IndexedSlices(tf.constant([[-5.0, 5.0]]), tf.constant([3]))
    clipped = tf.clip_by_value(rows, -1.0, 1.0)
    assert clipped.values.numpy().tolist() == [[-1, 1]]
    assert clipped.indices.numpy().tolist() == [3]


def test_shapes_that_do_not_fit():
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        tf.clip_by_value(tf.zeros([2]), tf.zeros([3]), 1.0)


@pytest.mark.parametrize(
    ("value", "dtype", "result"),
    [
        ([300, -7], tf.uint8, [255, 0]),
        ([1e20, -1e20, 1.7], tf.int16, [32767, -32768, 1]),
        ([200], tf.int8, [127]),
        ([1e300], tf.float32, [np.finfo(np.float32).max]),
    ],
)
def test_a_saturating_cast_stops_at_the_ends(value, dtype, result):
    got = tf.saturate_cast(np.array(value), dtype)
    assert got.dtype is dtype
    assert got.numpy().tolist() == result
