"""Choosing between two tensors."""

import pytest

import gradtape as tf


def test_where_of_version_1_chooses_rows_and_does_not_broadcast():
    where = tf.compat.v1.where
    rows = where([True, False], [[1, 2], [3, 4]], [[5, 6], [7, 8]])
    assert rows.numpy().tolist() == [[1, 2], [7, 8]]
    assert where(True, [1], [2]).numpy().tolist() == [1]
    assert where([[True], [False]]).numpy().tolist() == [[0, 0]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="'then' must be at least a vector"):
        where([True, False], 1, 2)
    with pytest.raises(tf.errors.InvalidArgumentError, match="same size"):
        where([True, False], [1, 2], [3])
