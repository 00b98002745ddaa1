"""Sums, means, products and truths along axes."""

import numpy as np
import pytest

import gradtape as tf

X = np.array([[0.5, -1.0, 2.0], [3.0, 0.0, -0.25]])


@pytest.mark.parametrize("axis", [None, 0, -1, [1, 0], []])
@pytest.mark.parametrize(
    ("function", "numpys"),
    [
        (tf.reduce_sum, np.sum),
        (tf.reduce_mean, np.mean),
        (tf.reduce_prod, np.prod),
        (tf.math.reduce_variance, np.var),
        (tf.math.reduce_std, np.std),
        (tf.math.count_nonzero, np.count_nonzero),
    ],
)
def test_values_are_numpys(function, numpys, axis):
    axes = tuple(axis) if isinstance(axis, list) else axis
    if axes == () and numpys is np.count_nonzero:
        pytest.skip("NumPy counts over all axes")
    np.testing.assert_allclose(function(X, axis), numpys(X, axes))
    kept = function(X, axis, keepdims=True)
    np.testing.assert_allclose(kept, numpys(X, axes, keepdims=True))


def test_truths():
    x = [[True, False], [True, True]]
    assert tf.reduce_all(x, 1).numpy().tolist() == [False, True]
    assert tf.reduce_any(x, 0).numpy().tolist() == [True, True]
    assert not tf.reduce_any(tf.zeros([0], tf.bool))
    assert tf.reduce_all(tf.zeros([0], tf.bool))
    with pytest.raises((TypeError, tf.errors.InvalidArgumentError)):
        tf.reduce_all([1, 0])


def test_integers():
    assert tf.reduce_mean([1, 2, 4]) == 2
    assert tf.reduce_sum(tf.constant([100, 100], tf.int8)) == -56
    assert tf.math.count_nonzero(["", "a"]) == 1
    assert tf.math.count_nonzero([1, 0], dtype=tf.int32).dtype is tf.int32


def test_of_nothing():
    empty = tf.zeros([0, 2])
    assert tf.reduce_sum(empty, 0).numpy().tolist() == [0, 0]
    assert tf.reduce_prod(empty) == 1.0
    assert np.isnan(tf.reduce_mean(empty))


def test_the_gradient_of_a_product_with_a_zero():
    x = tf.constant([2.0, 0.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_prod(x)
    assert tape.gradient(y, x).numpy().tolist() == [0, 6, 0]


@pytest.mark.parametrize("axis", [2, -3, [0, 5]])
def test_axes_that_are_not_there(axis):
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        tf.reduce_sum(X, axis)
