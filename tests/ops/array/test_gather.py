"""Rows and elements by their places."""

import numpy as np
import pytest

import gradtape as tf

TABLE = np.array([[1.0, 2.0], [3.0, 4.0]])


@pytest.mark.parametrize("table", [TABLE, TABLE.astype(int), TABLE.astype(str)])
def test_gather_nd_gives_zeros_for_indices_that_are_to_be_ignored(table):
    x = tf.constant(table)
    got = tf.gather_nd(x, [[0, 5], [1, 1], [-1, 0]], bad_indices_policy="IGNORE").numpy()
    none = b"" if x.dtype is tf.string else 0
    assert got.tolist() == [none, x.numpy()[1, 1], none]
    rows = tf.gather_nd(x, [[[5]], [[1]]], bad_indices_policy="IGNORE").numpy()
    assert rows.tolist() == [[[none] * 2], [x.numpy()[1].tolist()]]
    batches = tf.gather_nd(x, [[5], [1]], batch_dims=1, bad_indices_policy="IGNORE")
    assert batches.numpy().tolist() == [none, x.numpy()[1, 1]]


@pytest.mark.parametrize("policy", ["", "DEFAULT", "ERROR", None, "other"])
def test_bad_indices_are_errors_otherwise(policy):
    for run in (
        lambda: tf.gather_nd(TABLE, [[0, 5]], bad_indices_policy=policy),
        lambda: tf.scatter_nd([[5]], [1.0], [3], bad_indices_policy=policy),
        lambda: tf.tensor_scatter_nd_add(np.zeros(3), [[5]], [1.0], bad_indices_policy=policy),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError):
            run()


def test_gradients_skip_ignored_indices():
    x, u = tf.constant(TABLE), tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, u])
        taken = tf.gather_nd(x, [[0, 5], [1, 1]], bad_indices_policy="IGNORE")
        put = tf.scatter_nd([[5], [1]], u, [3], bad_indices_policy="IGNORE") * 3.0
    assert put.numpy().tolist() == [0, 6, 0]
    assert tape.gradient(taken, x).numpy().tolist() == [[0, 0], [0, 1]]
    assert tape.gradient(put, u).numpy().tolist() == [0, 3]


def test_gather_by_negative_batch_dims_counts_the_axis_in_params():
    x = tf.reshape(tf.range(24), (2, 3, 4))
    rows = x.numpy()
    expected = np.stack([rows[0][:, [0, 1]], rows[1][:, [1, 0]]])
    np.testing.assert_array_equal(tf.gather(x, [[0, 1], [1, 0]], batch_dims=-1), expected)
    assert tf.gather(x, [[0], [1]], batch_dims=-2).shape == (2, 2, 1, 4)


def test_gather_along_the_first_axis_ignores_batch_dims():
    for batch_dims in (-4, -1, 1, 3):
        assert tf.gather(TABLE, [1], axis=0, batch_dims=batch_dims).numpy().tolist() == [[3, 4]]
    for axis, batch_dims in ((1, 3), (1, -3), (-2, 1)):
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.gather(TABLE, [1], axis=axis, batch_dims=batch_dims)
