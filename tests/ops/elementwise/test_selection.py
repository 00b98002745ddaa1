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


def test_rows_of_unknown_number_are_chosen_in_loops():
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        x, n = v1.placeholder(tf.float32, [None, 2]), v1.placeholder(tf.int32, [None])
        y = v1.where(n > 1, x, -x)
        assert y.shape.as_list() == [None, 2]
        rows = tf.TensorArray(tf.float32, size=tf.shape(x)[1])
        _, rows = tf.while_loop(
            lambda t, _: t < tf.shape(x)[1],
            lambda t, a: (t + 1, a.write(t, v1.where(n > t, x, tf.zeros_like(x)))),
            [0, rows],
        )
        fed = {x: [[1.0, 2.0], [3.0, 4.0]], n: [2, 1]}
        assert session.run(y, fed).tolist() == [[1.0, 2.0], [-3.0, -4.0]]
        found = [[[1.0, 2.0], [3.0, 4.0]], [[1.0, 2.0], [0.0, 0.0]]]
        assert session.run(rows.stack(), fed).tolist() == found
