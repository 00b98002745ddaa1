"""Measures of image quality; values are TensorFlow's."""

import numpy as np
import pytest

import gradtape as tf

BOXES = np.array(
    [
        [0, 0, 1, 1],
        [0, 0.1, 1, 1.1],
        [0, -0.1, 1, 0.9],
        [0, 10, 1, 11],
        [0, 10.1, 1, 11.1],
        [0, 100, 1, 101],
    ],
    "f",
)
SCORES = np.array([0.9, 0.75, 0.6, 0.95, 0.5, 0.3], "f")
IMAGE = np.random.default_rng(0).uniform(size=(4, 5, 3)).astype("f")


def test_similarity_over_scales():
    rng = np.random.default_rng(0)
    a = rng.uniform(size=(1, 30, 31, 1)).astype("f")
    b = np.clip(a + 0.1 * rng.normal(size=a.shape), 0, 1).astype("f")
    same = tf.image.ssim_multiscale(a, a, 1.0, (0.5, 0.5), filter_size=7)
    np.testing.assert_allclose(same, [1], 1e-5)
    one = tf.image.ssim_multiscale(a, b, 1.0, (1.0,), filter_size=7)
    np.testing.assert_allclose(one, tf.image.ssim(a, b, 1.0, 7), 1e-5)
    x = tf.constant(a)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.image.ssim_multiscale(x, b, 1.0, (0.5, 0.5), filter_size=7)
    np.testing.assert_allclose(y, [0.94262165], 1e-4)
    np.testing.assert_allclose(np.abs(tape.gradient(y, x)).sum(), 1.2704843, 1e-3)


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (
            lambda: tf.image.ssim_multiscale(IMAGE, IMAGE, 1.0, filter_size=3),
            tf.errors.InvalidArgumentError,
            "smaller than the window",
        ),
    ],
)
def test_errors(call, error, match):
    with pytest.raises(error, match=match):
        call()


def test_standardized_images_have_gradients():
    image = tf.constant(np.random.default_rng(1).normal(size=(4, 5, 3)), tf.float32)
    theory, numeric = tf.test.compute_gradient(
        lambda x: tf.image.per_image_standardization(x), [image], delta=1e-2
    )
    np.testing.assert_allclose(theory[0], numeric[0], atol=2e-3)


def test_the_gradient_of_power_factors():
    a, b = tf.random.stateless_uniform((2, 1, 16, 16, 1), [1, 2])
    powers = tf.constant([0.5, 0.25])
    with tf.GradientTape() as tape:
        tape.watch(powers)
        y = tf.reduce_sum(tf.image.ssim_multiscale(a, b, 1.0, powers, filter_size=3))
    step = 1e-2
    found = []
    for way in np.eye(2, dtype=np.float32) * step:
        ends = [tf.image.ssim_multiscale(a, b, 1.0, powers + s * way, 3) for s in (1, -1)]
        found.append(float(ends[0][0] - ends[1][0]) / (2 * step))
    np.testing.assert_allclose(tape.gradient(y, powers), found, rtol=1e-2, atol=1e-4)


def test_images_that_cannot_be_compared():
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.image.ssim(tf.ones([1, 8, 8, 3]), tf.ones([1, 8, 8, 3]), 1.0)
    for measure in (tf.image.ssim, tf.image.ssim_multiscale):
        with pytest.raises(ValueError, match="compare"):
            measure(tf.ones([2, 16, 16, 3]), tf.ones([3, 16, 16, 3]), 1.0)
