"""Truncated normal distributions with bounds of their own, against SciPy's quantiles."""

import numpy as np
import pytest
from scipy import stats

import gradtape as tf

draw = tf.random.stateless_parameterized_truncated_normal


@pytest.mark.parametrize(
    ("mean", "stddev", "low", "high"),
    [
        (0.0, 1.0, -2.0, 2.0),
        (1.0, 2.0, 1.5, 9.0),
        (0.0, 1.0, 8.0, 9.0),  # a tail in which float32's distribution function is 1
        (0.0, 1.0, -np.inf, 0.5),
        (3.0, 0.5, -np.inf, np.inf),
    ],
)
def test_the_distribution(mean, stddev, low, high):
    x = draw([4000], [1, 2], mean, stddev, low, high)
    assert x.dtype == tf.float32
    ends = (np.array([low, high]) - mean) / stddev
    expected = stats.truncnorm(*ends, mean, stddev)
    assert stats.kstest(x.numpy(), expected.cdf).pvalue > 0.001
    np.testing.assert_array_equal(x, draw([4000], [1, 2], mean, stddev, low, high))


def test_gradients_are_those_of_quantiles():
    def quantiles(*parameters):
        return draw([3, 2], [4, 2], *parameters)

    given = [tf.constant(v, tf.float64) for v in ([0.1, 0.2], 1.5, [-1.0, 0.5], [[2.0]] * 3)]
    by_rule, by_differences = tf.test.compute_gradient(quantiles, given)
    for rule, difference in zip(by_rule, by_differences, strict=True):
        np.testing.assert_allclose(rule, difference, atol=1e-6)
    with tf.GradientTape() as tape:
        mean = tf.Variable([0.5, 1.0])
        x = draw([2], [1, 2], mean, 1.0, -np.inf, np.inf)
    np.testing.assert_allclose(tape.gradient(x, mean), [1, 1])


def test_in_a_function():
    traced = tf.function(lambda mean: draw([5], [1, 2], mean, 1.0, 0.0, 1.0))
    np.testing.assert_allclose(traced(tf.constant(0.3)), draw([5], [1, 2], 0.3, 1.0, 0.0, 1.0))


def test_refusals():
    with pytest.raises(tf.errors.InvalidArgumentError, match="lower bound"):
        draw([2], [1, 2], 0.0, 1.0, 2.0, 1.0)
    with pytest.raises(tf.errors.InvalidArgumentError):
        draw([2], [1, 2], [0.0, 1.0, 2.0])
