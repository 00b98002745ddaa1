"""Means, variances and what is normalized by them, against NumPy."""

import numpy as np
import pytest

import gradtape as tf

RNG = np.random.default_rng(0)
X = RNG.normal(size=(4, 3, 2))


def test_moments():
    mean, variance = tf.nn.moments(tf.constant(X), [0, 2], keepdims=True)
    np.testing.assert_allclose(mean, X.mean((0, 2), keepdims=True))
    np.testing.assert_allclose(variance, X.var((0, 2), keepdims=True))


def test_moments_from_sums():
    count, total, squares, shift = tf.nn.sufficient_statistics(tf.constant(X), [0], shift=0.5)
    assert count == 4.0
    mean, variance = tf.nn.normalize_moments(count, total, squares, shift)
    np.testing.assert_allclose(mean, X.mean(0))
    np.testing.assert_allclose(variance, X.var(0))


def test_weighted_moments():
    weights = np.array([1.0, 0.0, 2.0])[:, None]
    mean, variance = tf.nn.weighted_moments(X, [1], weights)
    want = np.average(X, 1, np.array([1.0, 0.0, 2.0]))
    np.testing.assert_allclose(mean, want)
    spread = np.average((X - want[:, None]) ** 2, 1, np.array([1.0, 0.0, 2.0]))
    np.testing.assert_allclose(variance, spread)


def test_batch_normalization():
    mean, variance = X.mean((0, 1)), X.var((0, 1))
    got = tf.nn.batch_normalization(X, mean, variance, 0.5, 2.0, 1e-3)
    np.testing.assert_allclose(got, (X - mean) / np.sqrt(variance + 1e-3) * 2 + 0.5)


def test_the_neighbours_of_a_channel():
    x = np.abs(RNG.normal(size=(1, 2, 2, 5))).astype("f")
    got = tf.nn.local_response_normalization(x, depth_radius=1, bias=1.0, alpha=0.5, beta=0.75)
    squares = np.pad(x**2, [(0, 0)] * 3 + [(1, 1)])
    sums = squares[..., :-2] + squares[..., 1:-1] + squares[..., 2:]
    np.testing.assert_allclose(got, x / (1 + 0.5 * sums) ** 0.75, rtol=1e-5)


def test_lengths_of_one():
    unit = tf.math.l2_normalize([[3.0, 4.0], [0.0, 0.0]], axis=1)
    np.testing.assert_allclose(unit, [[0.6, 0.8], [0, 0]], rtol=1e-6)


def test_how_much_is_zero():
    assert tf.math.zero_fraction([0, 1, 0, 0]) == 0.75
    assert np.isnan(tf.math.zero_fraction(tf.zeros([0])))


def test_axes_that_are_not_there():
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        tf.nn.moments(tf.constant(X), [3])


def test_second_gradients_of_normalized_batches():
    """The variance depends on the mean, which `moments` leaves out, as in TensorFlow."""
    x, u = (np.random.default_rng(seed).normal(size=(2, 3, 3, 2)).astype("f") for seed in (0, 1))
    given = {"scale": [1.5, 0.5], "offset": [0.1, 0.2], "mean": [], "variance": []}

    def slope(value):
        with tf.GradientTape() as tape:
            tape.watch(value)
            y = tf.raw_ops.FusedBatchNormV3(x=value, **given, epsilon=1e-3, is_training=True)[0]
            loss = tf.reduce_sum(tf.sin(y) ** 2)
        return tf.reduce_sum(tape.gradient(loss, value) ** 2)

    value = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(value)
        total = slope(value)
    found = float(tf.reduce_sum(tape.gradient(total, value) * u))
    ends = [float(slope(tf.constant(x + sign * 1e-2 * u))) for sign in (1, -1)]
    np.testing.assert_allclose(found, (ends[0] - ends[1]) / 2e-2, rtol=1e-2)
