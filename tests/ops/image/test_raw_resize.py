"""The raw operations that resize images: values as TensorFlow 2.21 computes them."""

import numpy as np
import pytest

import gradtape as tf

X = tf.reshape(tf.range(16, dtype=tf.float32), [1, 4, 4, 1])


def rows(x):
    return x.numpy()[0, :, :, 0]


def test_bilinear():
    found = rows(tf.raw_ops.ResizeBilinear(images=X, size=[2, 3]))
    np.testing.assert_allclose(found[1], [8, 9.333333, 10.666667], rtol=1e-6)
    found = rows(tf.raw_ops.ResizeBilinear(images=X, size=[2, 3], align_corners=True))
    np.testing.assert_allclose(found, [[0, 1.5, 3], [12, 13.5, 15]], rtol=1e-6)
    centers = tf.raw_ops.ResizeBilinear(images=X, size=[2, 3], half_pixel_centers=True)
    np.testing.assert_allclose(centers, tf.image.resize(X, [2, 3]), rtol=1e-6)


def test_nearest():
    raw = tf.raw_ops.ResizeNearestNeighbor
    assert rows(raw(images=X, size=[2, 3])).tolist() == [[0, 1, 2], [8, 9, 10]]
    found = rows(raw(images=X, size=[2, 3], align_corners=True))
    assert found.tolist() == [[0, 2, 3], [12, 14, 15]]
    centers = raw(images=X, size=[2, 3], half_pixel_centers=True)
    assert np.array_equal(centers, tf.image.resize(X, [2, 3], "nearest"))


def test_other_ways():
    cubic = tf.raw_ops.ResizeBicubic(images=X, size=[2, 3], half_pixel_centers=True)
    np.testing.assert_allclose(cubic, tf.image.resize(X, [2, 3], "bicubic"), rtol=1e-6)
    area = tf.raw_ops.ResizeArea(images=X, size=[2, 2])
    assert rows(area).tolist() == [[2.5, 4.5], [10.5, 12.5]]
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.raw_ops.ResizeArea(images=X, size=[2, 2], align_corners=True)


def test_gradients():
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = tf.raw_ops.ResizeBilinear(images=X, size=[2, 2])
    assert rows(tape.gradient(y, X)).sum() == pytest.approx(4)
