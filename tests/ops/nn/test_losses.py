"""Losses, their averages, and whether a class ranks high."""

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.declare import plans
from gradtape._src.ops.nn.cross_entropy import cross_entropy_p, sparse_cross_entropy_p

LOGITS = tf.constant([[0.5, -1.0, 2.0], [3.0, 0.0, 1.0]])
CROSS_ENTROPIES = [
    lambda: sparse_cross_entropy_p(LOGITS, tf.constant([2, 1])),
    lambda: cross_entropy_p(tf.one_hot([2, 1], 3), LOGITS),
]


@pytest.mark.parametrize("run", CROSS_ENTROPIES)
@pytest.mark.parametrize(("of_loss", "of_logarithm"), [(1, 0), (0, 1), (1, 1)])
def test_cross_entropies_have_derivatives_of_all_outputs(run, of_loss, of_logarithm):
    with tf.GradientTape() as tape:
        tape.watch(LOGITS)
        outs = run()
        targets = [*outs[:1] * of_loss, *outs[1:2] * of_logarithm]
    softmax, labels = tf.nn.softmax(LOGITS).numpy(), np.array([[0, 0, 1], [0, 1, 0]])
    expected = (of_loss + of_logarithm) * softmax - of_loss * labels
    np.testing.assert_allclose(tape.gradient(targets, LOGITS), expected, atol=1e-6)


@pytest.mark.parametrize("run", CROSS_ENTROPIES)
def test_outputs_without_a_derivative_take_no_zeros(run, monkeypatch):
    monkeypatch.setattr(plans, "_zeros", lambda shape, dtype: 1 / 0)
    with tf.GradientTape() as tape:
        tape.watch(LOGITS)
        loss = run()[0]
    assert tape.gradient(loss, LOGITS).shape == (2, 3)


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
