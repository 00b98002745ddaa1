"""Sparse tensors joined, added and multiplied."""

import pytest

import gradtape as tf


def test_sparse_concat_expands_only_where_it_is_asked_to():
    a, b = tf.sparse.from_dense([[1, 0], [0, 2]]), tf.sparse.from_dense([[1, 0, 3]])
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.sparse.concat(0, [a, b])
    joined = tf.sparse.concat(0, [a, b], expand_nonconcat_dims=True)
    assert joined.shape == [3, 3]
