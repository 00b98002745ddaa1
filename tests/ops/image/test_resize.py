"""Images of other sizes; values are TensorFlow's."""

import numpy as np
import pytest

import gradtape as tf

ROW = np.float32([[[[0], [1], [4], [9]]]])


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("nearest", [0, 0, 1, 1, 4, 4, 9, 9]),
        ("bilinear", [0, 0.25, 0.75, 1.75, 3.25, 5.25, 7.75, 9]),
        ("area", [0, 0, 1, 1, 4, 4, 9, 9]),
    ],
)
def test_larger(method, expected):
    got = tf.image.resize(ROW, [1, 8], method)
    np.testing.assert_allclose(got[0, 0, :, 0], expected, atol=1e-5)


@pytest.mark.parametrize("method", ["nearest", "bilinear", "bicubic", "area", "lanczos3"])
def test_the_same_size_changes_nothing(method):
    image = np.random.default_rng(0).uniform(size=(3, 5, 2)).astype("f")
    np.testing.assert_allclose(tf.image.resize(image, [3, 5], method), image, atol=1e-5)


@pytest.mark.parametrize("method", ["gaussian", "mitchellcubic"])
def test_methods_that_blur_keep_the_mean_of_a_plane(method):
    image = np.full((3, 5, 1), 0.75, "f")
    np.testing.assert_allclose(tf.image.resize(image, [4, 7], method), 0.75, atol=1e-5)


def test_smaller_with_antialias_is_a_mean_of_more():
    got = tf.image.resize(ROW, [1, 2], antialias=True)
    np.testing.assert_allclose(got[0, 0, :, 0], [1.0, 5.714286], atol=1e-5)


def test_the_ratio_of_the_sides_is_kept():
    image = np.ones((4, 8, 1), "f")
    assert tf.image.resize(image, [4, 4], preserve_aspect_ratio=True).shape == (2, 4, 1)
    padded = tf.image.resize_with_pad(image, 4, 4)
    assert padded[..., 0].numpy().round(5).tolist() == [[0] * 4, [1] * 4, [1] * 4, [0] * 4]


def test_crops():
    image = np.arange(16, dtype="f").reshape(1, 4, 4, 1)
    got = tf.image.crop_and_resize(image, [[0.0, 0.0, 1.0, 1.0], [1, 1, 0, 0]], [0, 0], [2, 2])
    assert got[0, ..., 0].numpy().tolist() == [[0, 3], [12, 15]]
    assert got[1, ..., 0].numpy().tolist() == [[15, 12], [3, 0]]


@pytest.mark.parametrize(
    "call",
    [
        lambda: tf.image.resize(ROW, [2]),
        lambda: tf.image.resize(ROW, [2, 2], "no way"),
        lambda: tf.image.resize(ROW[0, 0], [2, 2]),
    ],
)
def test_what_does_not_fit(call):
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        call()


@pytest.mark.parametrize("index", [1, -1])
def test_boxes_of_images_that_are_not_there(index):
    with pytest.raises(tf.errors.OutOfRangeError, match="box_index has values outside"):
        tf.image.crop_and_resize(ROW, [[0.0, 0.0, 1.0, 1.0]], [index], [2, 2])


def test_boxes_have_gradients():
    pixels = tf.reshape(tf.range(25.0), [1, 5, 5, 1]) ** 2
    boxes = tf.constant([[0.1, 0.2, 0.7, 0.9]])
    with tf.GradientTape() as tape:
        tape.watch(boxes)
        cut = tf.image.crop_and_resize(pixels, boxes, [0], [2, 3])
        total = tf.reduce_sum(cut * [[[1.0], [2.0], [3.0]]])
    np.testing.assert_allclose(tape.gradient(total, boxes), [[1240, 304, 3640, 720]], rtol=1e-5)
