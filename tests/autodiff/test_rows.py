"""Gradients that are rows alone."""

import numpy as np
import pytest
from checks import gradient_of

import gradtape as tf


def gradient(function, x):
    return gradient_of(function, x)[0]


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_rows_keep_the_dtype_of_the_indices(dtype):
    table = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    ids = tf.constant([0, 2], dtype)
    for function in (
        lambda v: tf.gather(v, ids),
        lambda v: tf.gather_nd(v, ids[:, None]),
        lambda v: v.sparse_read(ids),
        lambda v: v.gather_nd(ids[:, None]),
        lambda v: tf.nn.embedding_lookup(v, ids, max_norm=1.0),
    ):
        g = gradient(function, table)
        assert (type(g), g.indices.dtype.name) == (tf.IndexedSlices, dtype)
        assert g.indices.numpy().tolist() == [0, 2]


def test_an_axis_counted_from_the_end_gives_a_dense_gradient():
    g = gradient(lambda v: tf.gather(v, [0], axis=-2), tf.constant([[1.0], [2.0]]))
    assert g.numpy().tolist() == [[1.0], [0.0]]


def test_each_of_several_tables_gets_its_rows():
    tables = [tf.Variable([[1.0], [2.0], [5.0]]), tf.Variable([[3.0], [4.0]])]
    with tf.GradientTape() as tape:
        y = tf.nn.embedding_lookup(tables, [[0, 4], [3, 3]])
    first, second = tape.gradient(y, tables)
    assert y.numpy().tolist() == [[[1.0], [4.0]], [[3.0], [3.0]]]
    assert (first.values.shape, first.indices.numpy().tolist()) == ((1, 1), [0])
    assert (second.values.shape, second.indices.numpy().tolist()) == ((3, 1), [1, 0, 0])
    rows = tf.vectorized_map(lambda i: tf.nn.embedding_lookup(tables, i), tf.constant([3, 1]))
    np.testing.assert_array_equal(rows, [[3.0], [2.0]])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"ids\[1\] = 7 is not in \[0, 5\)"):
        tf.nn.embedding_lookup(tables, [0, 7])
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.nn.embedding_lookup(tables[::-1], [0, 1, 2])
