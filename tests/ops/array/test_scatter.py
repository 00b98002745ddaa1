"""Scattered rows and places."""

import numpy as np
import pytest

import gradtape as tf


def test_places():
    assert tf.unravel_index([2, 5, 7], (3, 3)).numpy().tolist() == [[0, 1, 2], [2, 2, 1]]
    assert tf.unravel_index(7, (3, 3)).numpy().tolist() == [2, 1]


A, B = np.array([[1, 2, 1], [4, 5, 6]]), np.array([[1, 3], [5, 4]])


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (lambda: tf.unravel_index([20], (3, 3)), tf.errors.InvalidArgumentError, "out of bound"),
    ],
)
def test_errors(call, error, match):
    with pytest.raises(error, match=match):
        call()


def test_bad_indices_are_left_out_where_asked():
    x, indices, updates = tf.zeros(3), [[0], [7], [-1]], [1.0, 2.0, 3.0]
    kept = tf.tensor_scatter_nd_add(x, indices, updates, bad_indices_policy="IGNORE")
    np.testing.assert_array_equal(kept, [1, 0, 0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Unknown bad indices"):
        tf.tensor_scatter_nd_max(x, indices, updates, bad_indices_policy="x")


def test_raw_scatters_take_the_policy():
    asked = {"indices": [[5], [1]], "bad_indices_policy": "IGNORE"}
    got = tf.raw_ops.TensorScatterUpdate(tensor=[9.0, 9, 9], updates=[1.0, 2], **asked)
    assert got.numpy().tolist() == [9, 2, 9]
    assert tf.raw_ops.ScatterNd(updates=["a", "b"], shape=[2], **asked).numpy().tolist() == [
        b"",
        b"b",
    ]


@pytest.mark.parametrize(
    "call",
    [
        lambda i, u: tf.scatter_nd(i, u, [3]),
        lambda i, u: tf.tensor_scatter_nd_update(tf.zeros([3]), i, u),
        lambda i, u: tf.tensor_scatter_nd_add(tf.zeros([3]), i, u),
        lambda i, u: tf.tensor_scatter_nd_max(tf.zeros([3]), i, u),
    ],
)
def test_index_vectors_have_an_element(call):
    with pytest.raises(tf.errors.InvalidArgumentError):
        call(np.zeros([2, 0], np.int32), tf.ones([2, 3]))
