"""Metrics of the k best predictions; the values are those of TensorFlow 2.21."""

import numpy as np
import pytest

import gradtape as tf

v1 = tf.compat.v1
M = v1.metrics
SCORES = np.array([[0.1, 0.3, 0.2, 0.4], [0.4, 0.3, 0.2, 0.1], [0.25, 0.2, 0.3, 0.25]], "f")
LABELS = np.array([[3, 1], [2, 3], [0, 1]])
TWICE = np.array([[0, 0], [1, 2], [2, 2]])
BEST = np.array([[3, 1], [0, 1], [2, 0]])


def updated(metric, *batches, sparse=False, best=False, **options):
    """Returns the result of each update."""
    with tf.Graph().as_default(), v1.Session() as session:
        labels = (
            v1.sparse_placeholder(tf.int64, [None, 4])
            if sparse
            else v1.placeholder(tf.int64, [None] * np.ndim(batches[0]))
        )
        scores = v1.placeholder(tf.int64 if best else tf.float32, [None, 2 if best else 4])
        value, update = metric(labels, scores, **options)
        assert value.dtype == tf.float64
        session.run(v1.local_variables_initializer())
        feeds = [{labels: batch, scores: BEST if best else SCORES} for batch in batches]
        found = [float(session.run(update, feed)) for feed in feeds]
        np.testing.assert_array_equal(session.run(value), found[-1])
        return [round(x, 5) for x in found]


@pytest.mark.parametrize(
    ("k", "precision", "recall"),
    [(1, 0.33333, [0.16667, 0.2]), (2, 0.41667, [0.5, 0.5]), (3, 0.38889, [0.66667, 0.7])],
)
def test_labels_that_occur_twice_count_once(k, precision, recall):
    assert updated(M.precision_at_k, LABELS, TWICE, k=k)[1] == precision
    assert updated(M.sparse_precision_at_k, LABELS, TWICE, k=k)[1] == precision
    assert updated(M.recall_at_k, LABELS, TWICE, k=k) == recall


def test_weights_and_classes():
    for metric, wanted in ((M.precision_at_k, 0.33333), (M.recall_at_k, 0.66667)):
        assert updated(metric, LABELS, k=2, class_id=1, weights=[1.0, 2.0, 0.5]) == [wanted]
        assert updated(metric, LABELS, k=2, weights=[1.0, 2.0, 0.0]) == [0.33333]
        assert updated(metric, np.array([3, 2, 0]), k=2) == [wanted]


def test_classes_that_are_given():
    for metric in (M.precision_at_top_k, M.recall_at_top_k):
        assert updated(metric, LABELS, best=True) == [0.5]
        assert updated(metric, LABELS, best=True, class_id=1, k=5) == [0.5]
    weights = [1.0, 2.0, 3.0]
    assert updated(M.recall_at_top_k, LABELS, best=True, class_id=1, weights=weights) == [0.25]
    assert updated(M.precision_at_top_k, LABELS, best=True, class_id=1, weights=weights) == [
        0.33333
    ]


def test_average_precision():
    for metric in (M.average_precision_at_k, M.sparse_average_precision_at_k):
        assert updated(metric, LABELS, TWICE, k=3) == [0.47222, 0.41667]
        assert updated(metric, LABELS, k=3, weights=[1.0, 2.0, 0.5]) == [0.41667]
    assert updated(M.average_precision_at_k, np.array([3, 2, 0]), k=3) == [0.61111]


def test_sparse_labels():
    labels = v1.SparseTensorValue([[0, 0], [0, 1], [2, 0]], [3, 1, 0], [3, 4])
    assert updated(M.precision_at_k, labels, sparse=True, k=2) == [0.5]
    assert updated(M.recall_at_k, labels, sparse=True, k=2) == [1.0]
    full = v1.SparseTensorValue([[0, 0], [0, 1], [1, 0], [2, 0]], [3, 1, 2, 0], [3, 4])
    dense = updated(M.average_precision_at_k, np.array([3, 2, 0]), k=1)
    assert updated(M.average_precision_at_k, full, sparse=True, k=1) == dense
