"""Shapes, sizes and ranks as tensors."""

import numpy as np
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


@pytest.mark.parametrize(
    ("one", "two", "axes"),
    [
        ([2, 1], [1, 3], ([1], [0])),
        ([2, 3], [3], ([], [0])),
        ([1, 1], [1, 1], ([], [])),
        ([], [2], ([0], [])),
        ([1, 2, 1], [2, 2], ([0, 2], [0])),
        ([0], [1], ([], [0])),
    ],
)
def test_the_axes_over_which_gradients_are_summed(one, two, axes):
    found = tf.raw_ops.BroadcastGradientArgs(s0=tf.constant(one, "int64"), s1=two)
    assert (found.r0.numpy().tolist(), found.r1.numpy().tolist()) == axes
    assert found.r0.dtype is tf.int64


def test_shapes_without_such_axes():
    with pytest.raises(tf.errors.InvalidArgumentError, match="Incompatible shapes"):
        tf.raw_ops.BroadcastGradientArgs(s0=[2], s1=[3])


def test_unknown_shapes_broadcast_in_a_session():
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.float32, [None, None])
        y = tf.compat.v1.placeholder(tf.float32, [None, 1, None])
        shape = tf.broadcast_dynamic_shape(tf.shape(x), tf.shape(y))
        for n in (1, 3):
            fed = {x: np.ones([2, n]), y: np.ones([4, 1, 3])}
            assert session.run(shape, fed).tolist() == [4, 2, 3]
            assert session.run(tf.zeros(shape), fed).shape == (4, 2, 3)
