"""Shapes, sizes and ranks as tensors."""

import pytest

import gradtape as tf


def test_of_a_tensor():
    x = tf.zeros([2, 0, 3])
    assert tf.shape(x).numpy().tolist() == [2, 0, 3]
    assert tf.shape(x).dtype is tf.int32
    assert tf.shape(x, tf.int64).dtype is tf.int64
    assert (int(tf.size(x)), int(tf.rank(x)), int(tf.size(1))) == (0, 3, 1)
    assert [s.numpy().tolist() for s in tf.shape_n([x, [1, 2]])] == [[2, 0, 3], [2]]


def test_of_composite_tensors():
    ragged = tf.ragged.constant([[1, 2], [3]])
    sparse = tf.SparseTensor([[0, 1]], [5.0], [2, 3])
    assert (int(tf.size(ragged)), int(tf.rank(ragged))) == (3, 2)
    assert tf.shape(sparse).numpy().tolist() == [2, 3]
    assert int(tf.size(sparse)) == 6


def test_shapes_that_broadcast():
    assert tf.broadcast_dynamic_shape([1, 2, 3], [5, 1, 3]).numpy().tolist() == [5, 2, 3]
    assert tf.broadcast_dynamic_shape([3], []).numpy().tolist() == [3]
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.broadcast_dynamic_shape([2], [3])


def test_they_have_no_gradient():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.cast(tf.size(x), tf.float32)
    assert tape.gradient(y, x) is None
