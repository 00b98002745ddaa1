"""Counts in ragged and sparse tensors, compared with counts of their dense rows."""

import numpy as np
import pytest

import gradtape as tf

ROWS = [[1, 2, 2], [0], []]
LOADS = [[0.5, 1.0, 2.0], [4.0], []]


def test_rows_are_counted_one_by_one():
    got = tf.math.bincount(tf.ragged.constant(ROWS, tf.int32), axis=-1, minlength=4)
    wanted = [np.bincount(np.array(row, int), minlength=4).tolist() for row in ROWS]
    assert got.numpy().tolist() == wanted
    loads = tf.ragged.constant(LOADS)
    got = tf.math.bincount(tf.ragged.constant(ROWS, tf.int32), weights=loads, axis=-1)
    assert got.numpy().tolist() == [[0, 0.5, 3.0], [4.0, 0, 0], [0, 0, 0]]


def test_sparse_counts_are_the_dense_ones_where_there_are_any():
    x = tf.ragged.constant(ROWS, tf.int32)
    sparse = tf.sparse.bincount(x, axis=-1)
    assert (
        tf.sparse.to_dense(sparse).numpy().tolist() == tf.math.bincount(x, axis=-1).numpy().tolist()
    )
    assert sparse.indices.numpy().tolist() == [[0, 1], [0, 2], [1, 0]]


def test_a_function_counts_ragged_rows():
    @tf.function(input_signature=[tf.RaggedTensorSpec([None, None], tf.int32)])
    def counts(x):
        return tf.math.bincount(x, axis=-1, minlength=3, maxlength=3)

    assert counts(tf.ragged.constant(ROWS, tf.int32)).numpy().tolist() == [
        [0, 1, 2],
        [1, 0, 0],
        [0, 0, 0],
    ]
    assert counts(tf.ragged.constant([[2]], tf.int32)).numpy().tolist() == [[0, 0, 1]]


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (
            lambda: tf.math.bincount(tf.ragged.constant([[-1]])),
            tf.errors.InvalidArgumentError,
            "non-negative",
        ),
        (lambda: tf.math.bincount(tf.ragged.constant([[1]]), axis=1), ValueError, "axis=1"),
        (
            lambda: tf.math.bincount(tf.ragged.constant([[1]]), weights=[1.0]),
            ValueError,
            "must be a RaggedTensor",
        ),
        (
            lambda: tf.math.bincount(
                tf.ragged.constant([[1]]), weights=tf.ragged.constant([[1.0, 2.0]])
            ),
            tf.errors.InvalidArgumentError,
            "row splits",
        ),
    ],
)
def test_errors(call, error, match):
    with pytest.raises(error, match=match):
        call()
