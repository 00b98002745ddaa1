"""Tensors that are scaled down to a norm."""

import numpy as np
import pytest

import gradtape as tf

BIG = 2**31
INF = np.inf


@pytest.mark.parametrize(
    ("run", "error"),
    [
        (lambda: tf.clip_by_norm(tf.ones(2), tf.ones([3, 1])), ValueError),
        (lambda: tf.clip_by_norm(tf.ones([3, 2]), tf.ones([1, 1, 1])), ValueError),
        (lambda: tf.clip_by_norm(tf.constant([3]), 1), tf.errors.InvalidArgumentError),
    ],
)
def test_bounds_that_do_not_fit(run, error):
    with pytest.raises(error):
        run()


X = np.array([[3.0, 4.0], [0.3, 0.4], [0.0, 0.0]])


@pytest.mark.parametrize("bound", [-1.0, 0.0, -INF])
def test_clip_by_norm_takes_a_negative_bound_for_zero(bound):
    x = tf.constant(X[:2])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.clip_by_norm(x, bound)
    assert not y.numpy().any()
    assert not tape.gradient(y, x).numpy().any()


@pytest.mark.parametrize("shape", [[1], [2], [1, 1], [3, 1], [3, 2]])
def test_clip_by_norm_takes_bounds_that_broadcast(shape):
    bounds = np.arange(1.0, np.prod(shape) + 1).reshape(shape)
    got = tf.clip_by_norm(tf.constant(X), tf.constant(bounds, "float32"))
    assert got.dtype is tf.float64
    norm = np.sqrt((X**2).sum())
    np.testing.assert_allclose(got.numpy(), X * bounds / np.maximum(norm, bounds))
