"""Means of other distances; the values are those of TensorFlow 2.21."""

import numpy as np
import pytest

import gradtape as tf

v1 = tf.compat.v1


def updated(make, *batches):
    """Returns the result of each update, and the value after them, for constants of each batch."""
    with tf.Graph().as_default(), v1.Session() as session:
        given = [v1.placeholder(np.asarray(x).dtype, np.shape(x)) for x in batches[0]]
        value, update = make(*given)
        session.run(v1.local_variables_initializer())
        updates = [session.run(update, dict(zip(given, b, strict=True))) for b in batches]
        return [np.round(np.asarray(x, float), 5).tolist() for x in (*updates, session.run(value))]


def test_means_of_elements():
    first, second = np.array([[1.0, 2.0], [3.0, 4.0]], "f"), np.full([2, 2], 5.0, "f")
    found = updated(v1.metrics.mean_tensor, [first], [second])
    assert found[1:] == [[[3.0, 3.5], [4.0, 4.5]]] * 2
    weights = np.array([[1.0], [0.0]], "f")
    found = updated(v1.metrics.mean_tensor, [first, weights], [second, 2 * weights])
    assert found[1:] == [[[3.66667, 4.0], [0.0, 0.0]]] * 2
    with tf.Graph().as_default(), pytest.raises(ValueError, match="partially known"):
        v1.metrics.mean_tensor(v1.placeholder(tf.float32, [None, 2]))


def test_distances():
    a, b = np.array([[1.0, 0, 0], [0, 1, 1]], "f"), np.array([[0.6, 0.8, 0], [0, 0.6, 0.8]], "f")
    weights = np.array([[1.0], [2.0]], "f")
    found = updated(lambda x, y, w: v1.metrics.mean_cosine_distance(x, y, 1, w), [a, b, weights])
    assert found == [-0.13333, -0.13333]
    labels, guesses = np.array([1.0, 2.0, 0.0], "f"), np.array([1.5, 1.0, 3.0], "f")
    found = updated(lambda x, y: v1.metrics.mean_relative_error(x, y, x), [labels, guesses])
    assert found == [0.33333, 0.33333]
    chosen = np.array([1.0, 0.0, 1.0], "f")
    found = updated(
        lambda x, y, w: v1.metrics.mean_relative_error(x, y, [2.0, 4.0, 5.0], w),
        [labels, guesses, chosen],
    )
    assert found == [0.425, 0.425]


def test_accuracy_of_each_class():
    batches = [([0, 1, 2, 1], [0, 1, 1, 2]), ([0, 0, 1, 2], [0, 1, 1, 2])]
    found = updated(lambda x, y: v1.metrics.mean_per_class_accuracy(x, y, 4), *batches)
    assert found == [[1.0, 0.5, 0.0, 0.0], [0.66667, 0.66667, 0.5, 0.0], 0.45833]
    weights = np.array([1.0, 2.0, 3.0, 4.0], "f")
    found = updated(
        lambda x, y, w: v1.metrics.mean_per_class_accuracy(x, y, 3, w), [*batches[0], weights]
    )
    assert found == [[1.0, 0.33333, 0.0], 0.44444]
