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
