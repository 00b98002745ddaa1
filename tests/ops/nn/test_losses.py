"""Losses, their averages, and whether a class ranks high."""

import numpy as np
import pytest

import gradtape as tf


def test_half_of_the_squares():
    assert tf.nn.l2_loss([[1.0, 2.0], [3.0, 4.0]]) == 15.0
    with pytest.raises((tf.errors.InvalidArgumentError, TypeError)):
        tf.nn.l2_loss([1, 2])


def test_counts():
    targets, logs = np.array([0.0, 1.0, 4.0]), np.array([0.5, 0.0, 1.0])
    plain = np.exp(logs) - targets * logs
    np.testing.assert_allclose(tf.nn.log_poisson_loss(targets, logs), plain)
    full = tf.nn.log_poisson_loss(targets, logs, compute_full_loss=True)
    stirling = 4 * np.log(4) - 4 + 0.5 * np.log(8 * np.pi)
    np.testing.assert_allclose(full, plain + np.array([0, 0, stirling]))
    with pytest.raises(ValueError, match="same shape"):
        tf.nn.log_poisson_loss(targets[:2], logs)


def test_averages():
    losses = tf.constant([[1.0, 2.0], [3.0, 6.0]])
    assert tf.nn.compute_average_loss(losses) == 6.0
    assert tf.nn.compute_average_loss(losses, global_batch_size=4) == 3.0
    weighted = tf.nn.compute_average_loss(losses, sample_weight=[1.0, 0.0], global_batch_size=1)
    assert weighted == 3.0
    assert tf.nn.scale_regularization_loss(losses) == 12.0
    with pytest.raises(ValueError, match="rank"):
        tf.nn.compute_average_loss(tf.constant(1.0))
    with pytest.raises(tf.errors.InvalidArgumentError, match="non-negative"):
        tf.nn.compute_average_loss(losses, global_batch_size=-1)


def test_in_top_k():
    scores = [[0.1, 0.7, 0.2], [0.5, 0.5, 0.1], [np.nan, 0.5, 0.1], [0.1, np.inf, 0.2]]
    got = tf.nn.in_top_k([2, 1, 1, 0], tf.constant(scores, tf.float32), 2)
    assert got.numpy().tolist() == [True, True, False, False]
    assert tf.nn.in_top_k([9], [[0.1, 0.2]], 1).numpy().tolist() == [False]


@pytest.mark.parametrize(("dtype", "kind"), [("int8", "float32"), ("int64", "float64")])
def test_the_average_of_whole_losses_is_a_quotient(dtype, kind):
    average = tf.nn.compute_average_loss(tf.constant([1, 0, 3, 5], dtype))
    assert average.dtype == kind
    assert average == 2.25


def test_the_batch_size_is_a_scalar():
    with pytest.raises(ValueError, match="must be scalar"):
        tf.nn.compute_average_loss([1.0], global_batch_size=[2])
