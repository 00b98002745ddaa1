"""Edit distances between sequences; values are TensorFlow's."""

import numpy as np
import pytest

import gradtape as tf


def test_edit_distance():
    made = tf.SparseTensor([[0, 0, 0], [0, 1, 0], [0, 1, 1]], ["a", "b", "c"], [1, 2, 2])
    true = tf.SparseTensor([[0, 0, 0], [0, 0, 1], [0, 1, 0]], ["a", "c", "b"], [1, 2, 2])
    assert tf.edit_distance(made, true).numpy().tolist() == [[0.5, 1]]
    assert tf.edit_distance(made, true, normalize=False).numpy().tolist() == [[1, 1]]
    made = tf.SparseTensor([[0, 0], [1, 0]], [1, 2], [3, 1])
    true = tf.SparseTensor([[0, 0]], [2], [3, 1])
    assert tf.edit_distance(made, true).numpy().tolist() == [1, np.inf, 0]


A, B = np.array([[1, 2, 1], [4, 5, 6]]), np.array([[1, 3], [5, 4]])


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (lambda: tf.edit_distance([1], [1]), TypeError, "SparseTensor"),
    ],
)
def test_errors(call, error, match):
    with pytest.raises(error, match=match):
        call()


def test_none_stands_for_the_default_of_an_option():
    made, true = tf.SparseTensor([[0, 0]], [1], [1, 2]), tf.SparseTensor([[0, 1]], [3], [1, 2])
    twice = tf.SparseTensor([[0, 0], [0, 1]], [1, 3], [1, 2])
    assert tf.edit_distance(made, twice, normalize=None).numpy().tolist() == [0.5]
    for wrong in (0, "", [], "x", 2.0):
        with pytest.raises(TypeError, match="Expected bool for argument 'normalize'"):
            tf.edit_distance(made, true, normalize=wrong)
