"""Colours of images."""

import numpy as np
import pytest

import gradtape as tf


@pytest.mark.parametrize(
    ("pixel", "expected"),
    [
        ([0.5, 0.5, 0.5], [3.0, 0.0, -2.0]),
        ([0.0, 0.0, 0.0], [1.0, 0.0, 0.0]),
        ([1.0, 0.0, 0.0], [1.0, 1 / 6, -1 / 6]),
        ([0.5, 0.5, 0.2], [1.2444444, 0.5555556, -2.0]),
        ([0.2, 0.2, 0.5], [0.5555556, -2.5555556, 1.8]),
        ([0.5, 0.2, 0.5], [2.3555555, -2.0, -0.5555556]),
    ],
)
def test_gradient_of_hue_saturation_value_at_equal_channels(pixel, expected):
    x = tf.constant([pixel])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.image.rgb_to_hsv(x)
    np.testing.assert_allclose(tape.gradient(y, x)[0], expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", ["rgb_to_yiq", "rgb_to_yuv", "yiq_to_rgb", "yuv_to_rgb"])
def test_colours_of_integers_are_refused_where_they_have_fractions(name):
    with pytest.raises(TypeError, match="floating"):
        getattr(tf.image, name)(tf.ones((2, 2, 3), tf.uint8))


INVALID = tf.errors.InvalidArgumentError
PIXELS = tf.ones((2, 2, 3))
WIDE = tf.constant(0.5, tf.float64)


@pytest.mark.parametrize(
    ("raised", "delta"),
    [
        (ValueError, 2.0),
        (ValueError, tf.constant(-1.5)),
        (ValueError, np.zeros(2)),
        (TypeError, [0.5]),
        (TypeError, "a"),
        (TypeError, None),
        (INVALID, np.array([0.5])),
        (INVALID, tf.constant([0.5])),
        (INVALID, WIDE),
    ],
)
def test_hues_that_are_refused(raised, delta):
    with pytest.raises((ValueError, TypeError, INVALID)) as caught:
        tf.image.adjust_hue(PIXELS, delta)
    assert caught.type.__name__ == raised.__name__


def test_only_the_image_function_limits_hues_and_only_outside_of_graphs():
    turned = tf.raw_ops.AdjustHue(images=PIXELS, delta=2.0)
    assert turned.shape == PIXELS.shape
    traced = tf.function(tf.image.adjust_hue)
    np.testing.assert_array_equal(traced(PIXELS, tf.constant(2.0)), turned)


@pytest.mark.parametrize("factor", [[0.5], np.ones(1), tf.constant([0.5]), WIDE])
def test_factors_are_float32_scalars(factor):
    for adjust in (tf.image.adjust_saturation, tf.image.adjust_contrast):
        with pytest.raises(INVALID):
            adjust(PIXELS, factor)


def test_raw_operations_take_images_of_floats():
    for images in (tf.ones((2, 2, 3), tf.float64), tf.ones((2, 2, 3), tf.int32), tf.ones((2, 3))):
        with pytest.raises(INVALID):
            tf.raw_ops.AdjustHue(images=images, delta=0.5)
        with pytest.raises(INVALID):
            tf.raw_ops.AdjustSaturation(images=images, scale=0.5)
    assert tf.raw_ops.AdjustHue(images=[[[1, 2, 3]]], delta=0.5).dtype is tf.float32


def test_hues_of_colours_below_zero():
    turned = tf.image.adjust_hue([[[0.0, -1.0, 0.0], [-1.0, -0.5, -0.25]]], 0.5)
    np.testing.assert_allclose(turned, [[[-1.0, 0.0, -1.0], [-0.25, -0.75, -1.0]]], atol=1e-6)


@pytest.mark.parametrize(
    ("pixel", "expected"),
    [
        ([-0.1, 0.5, 0.3], [-0.37037036, 3.2592592, 1.1111112]),
        ([-0.5, -0.1, -0.3], [0, 9, 0]),
        ([-0.5, 0.0, -0.3], [0, 18, 0]),
    ],
)
def test_gradient_of_negative_colours(pixel, expected):
    x = tf.constant([pixel])
    weights = [[7.0, 8.0, 9.0]] if expected[1] == 9 else [[16.0, 17.0, 18.0]]
    weights = [[4.0, 5.0, 6.0]] if pixel[1] == 0.5 else weights
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.image.rgb_to_hsv(x) * weights
    np.testing.assert_allclose(tape.gradient(y, x), [expected], rtol=1e-5)
