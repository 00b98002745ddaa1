"""Metrics for several thresholds; the values are those of TensorFlow 2.21."""

import numpy as np
import pytest

import gradtape as tf

v1 = tf.compat.v1
LABELS = [[True, False, True, False], [True, True, False, False]]
SCORES = [[0.9, 0.3, 0.4, 0.6], [0.1, 0.55, 0.8, 0.95]]
WEIGHTS = [[1.0, 2.0, 3.0, 4.0], [0.0, 1.0, 0.5, 2.0]]


def updated(make):
    """Returns the results of two updates, and the value after them."""
    with tf.Graph().as_default(), v1.Session() as session:
        labels, scores = v1.placeholder(tf.bool, [None]), v1.placeholder(tf.float32, [None])
        weights = v1.placeholder(tf.float32, [None])
        value, update = make(labels, scores, weights)
        session.run(v1.local_variables_initializer())
        feeds = [
            {labels: a, scores: b, weights: c}
            for a, b, c in zip(LABELS, SCORES, WEIGHTS, strict=True)
        ]
        found = [session.run(update, feed) for feed in feeds]
        np.testing.assert_array_equal(session.run(value), found[-1])
        return np.round(found, 5).tolist()


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("true_positives", [[4.0, 1.0, 0.0], [5.0, 2.0, 0.0]]),
        ("true_negatives", [[0.0, 2.0, 6.0], [0.0, 2.0, 6.5]]),
        ("false_positives", [[6.0, 4.0, 0.0], [8.5, 6.5, 2.0]]),
        ("false_negatives", [[0.0, 3.0, 4.0], [0.0, 3.0, 5.0]]),
        ("precision", [[0.4, 0.2, 0.0], [0.37037, 0.23529, 0.0]]),
        ("recall", [[1.0, 0.25, 0.0], [1.0, 0.4, 0.0]]),
    ],
)
def test_each_threshold(name, wanted):
    metric = getattr(v1.metrics, f"{name}_at_thresholds")
    edges = [0.2, 0.5, 0.9]
    np.testing.assert_allclose(updated(lambda a, b, w: metric(a, b, edges, w)), wanted, atol=1e-5)


def test_the_threshold_that_is_nearest():
    metrics = v1.metrics
    assert updated(lambda a, b, _: metrics.sensitivity_at_specificity(a, b, 0.5)) == [1.0, 0.25]
    assert updated(lambda a, b, _: metrics.specificity_at_sensitivity(a, b, 0.5)) == [1.0, 0.25]
    found = updated(lambda a, b, w: metrics.specificity_at_sensitivity(a, b, 0.5, w, 10))
    assert found == pytest.approx([1.0, 0.23529])
    for metric in (metrics.sensitivity_at_specificity, metrics.specificity_at_sensitivity):
        with pytest.raises(ValueError, match=r"must be in the range \[0, 1\]"):
            metric([True], [0.5], 2.0)
