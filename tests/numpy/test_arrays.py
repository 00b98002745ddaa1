"""The functions of `tf.experimental.numpy` that make arrays, and their dtypes."""

import numpy as np

import gradtape as tf
import gradtape.experimental.numpy as tnp


def test_promotion_is_numpys():
    i32, f32 = tf.constant([1, 2]), tf.constant([1.0, 2.0])
    assert tnp.add(i32, f32).dtype == tf.float64
    assert tnp.add(i32, 1.5).dtype == tf.float64
    assert tnp.add(f32, 1.5).dtype == tf.float32
    assert tnp.add(f32, np.float64(1.5)).dtype == tf.float64
    assert tnp.sum(tf.constant([1, 2], tf.uint8)).dtype == tf.uint64
    assert tnp.array([1, tf.constant(2.0)]).dtype == tf.float32
    assert isinstance(tnp.ones(2), tnp.ndarray)


def test_small_answers():
    assert type(tnp.size(2)) is int
    assert tnp.full_like([1, 2], 3, shape=[]).shape == [2]
    angles = tnp.angle(tf.constant([-1.0, 2.0], tf.float16))
    np.testing.assert_array_equal(angles, np.float32([np.pi, 0]))
