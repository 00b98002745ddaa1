"""Sets in the rows of matrices; values are TensorFlow's."""

import numpy as np
import pytest

import gradtape as tf


def rows(x):
    return x.indices.numpy().tolist(), x.values.numpy().tolist(), x.dense_shape.numpy().tolist()


A, B = np.array([[1, 2, 1], [4, 5, 6]]), np.array([[1, 3], [5, 4]])


@pytest.mark.parametrize("left", [A, tf.sparse.from_dense(A)], ids=["dense", "sparse"])
@pytest.mark.parametrize("right", [B, tf.sparse.from_dense(B)], ids=["dense", "sparse"])
def test_sets(left, right):
    both = tf.sets.intersection(left, right)
    assert rows(both) == ([[0, 0], [1, 0], [1, 1]], [1, 4, 5], [2, 2])
    assert rows(tf.sets.difference(left, right)) == ([[0, 0], [1, 0]], [2, 6], [2, 1])
    assert rows(tf.sets.difference(left, right, aminusb=False)) == ([[0, 0]], [3], [2, 1])
    assert rows(tf.sets.union(left, right))[1:] == ([1, 2, 3, 4, 5, 6], [2, 3])
    assert tf.sets.size(both).numpy().tolist() == [1, 2]


def test_sets_of_strings():
    assert rows(tf.sets.union([["b"]], [["a"]]))[1] == [b"a", b"b"]


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (lambda: tf.sets.size(A), TypeError, "SparseTensor"),
        (lambda: tf.sets.union(A, B[:1]), tf.errors.InvalidArgumentError, "Mismatched shapes"),
        (lambda: tf.sets.union(A, B * 1.0), TypeError, "Types don't match"),
    ],
)
def test_errors(call, error, match):
    with pytest.raises(error, match=match):
        call()
