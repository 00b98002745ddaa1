"""Raw operations."""

import numpy as np
import pytest

import gradtape as tf


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda: tf.raw_ops.Add(x=1, y=2), 3),
        (lambda: tf.raw_ops.MatMul(a=[[1.0]], b=[[2.0]], transpose_b=True), [[2.0]]),
        (lambda: tf.raw_ops.Sum(input=[[1.0, 2.0]], axis=1, keep_dims=True), [[3.0]]),
        (lambda: tf.raw_ops.Cast(x=[1.5], DstT=tf.int32), [1]),
        (lambda: tf.raw_ops.Transpose(x=[[1, 2]], perm=[1, 0]), [[1], [2]]),
        (lambda: tf.raw_ops.SelectV2(condition=[True, False], t=1, e=2), [1, 2]),
        (lambda: tf.raw_ops.ArgMax(input=[1, 3], dimension=0), 1),
        (lambda: tf.raw_ops.Relu(features=[-1.0, 1.0]), [0.0, 1.0]),
        (lambda: tf.raw_ops.ConcatV2(values=[[1], [2]], axis=0, name="both"), [1, 2]),
    ],
)
def test_values(call, expected):
    np.testing.assert_array_equal(call(), expected)


def test_gradients():
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.raw_ops.Square(x=x)
    assert tape.gradient(y, x) == 4.0


def test_arguments_have_names():
    with pytest.raises(TypeError, match="Sin only takes keyword args"):
        tf.raw_ops.Sin(1.0)
    with pytest.raises(TypeError, match="y"):
        tf.raw_ops.Sin(y=1.0)
