"""Crosses of features; values are TensorFlow's."""

import pytest

import gradtape as tf

RAGGED = tf.ragged.constant([["a", "b", "c"], ["d"], []])


def test_crosses_of_features():
    words, letters = tf.constant([["a", "q"], ["b", "r"]]), tf.constant([["c"], ["d"]])
    found = tf.sparse.cross([words, letters])
    assert found.values.numpy().tolist() == [b"a_X_c", b"q_X_c", b"b_X_d", b"r_X_d"]
    assert found.indices.numpy().tolist() == [[0, 0], [0, 1], [1, 0], [1, 1]]
    numbers = tf.sparse.cross_hashed([words, letters], num_buckets=1000)
    assert numbers.values.numpy().tolist() == [566, 594, 454, 912]
    seven = tf.sparse.cross_hashed([tf.constant([[7]], tf.int64)], num_buckets=1 << 60)
    assert seven.values.numpy().tolist() == [211960328286072238]
    for wrong in ([words, letters[:1]], [tf.constant(["a"])], [tf.constant([[1.5]])]):
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.sparse.cross(wrong)
    with pytest.raises(TypeError, match="ragged"):
        tf.sparse.cross([RAGGED])
