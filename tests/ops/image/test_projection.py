"""Projective transforms of images; expected values are TensorFlow's."""

import numpy as np
import pytest

import gradtape as tf

project = tf.raw_ops.ImageProjectiveTransformV3
IMAGE = np.arange(1.0, 7.0, dtype=np.float32).reshape(1, 2, 3, 1)


def moved(transform, fill_mode="CONSTANT", interpolation="BILINEAR", fill_value=0.0):
    out = project(
        images=IMAGE,
        transforms=np.array([transform], np.float32),
        output_shape=[2, 3],
        fill_value=fill_value,
        interpolation=interpolation,
        fill_mode=fill_mode,
    )
    return out.numpy()[0, :, :, 0].tolist()


def test_translations_and_fill_modes():
    left = [1, 0, 2, 0, 1, 0, 0, 0]
    assert moved(left, fill_value=9.0) == [[3, 9, 9], [6, 9, 9]]
    assert moved(left, "NEAREST") == [[3, 3, 3], [6, 6, 6]]
    assert moved(left, "REFLECT") == [[3, 3, 2], [6, 6, 5]]
    assert moved(left, "WRAP") == [[3, 1, 1], [6, 4, 4]]  # TensorFlow wraps by n - 1


def test_interpolation():
    half = [1, 0, 0.5, 0, 1, 0, 0, 0]
    assert moved(half) == [[1.5, 2.5, 1.5], [4.5, 5.5, 3]]
    assert moved(half, interpolation="NEAREST") == [[2, 3, 0], [5, 6, 0]]


def test_pixels_at_infinity_are_filled():
    assert moved([1, 0, 0, 0, 1, 0, -1, 0], fill_value=7.0)[0][1] == 7


def test_bad_arguments():
    with pytest.raises(tf.errors.InvalidArgumentError, match="num_images x 8"):
        moved([1, 0, 0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="interpolation must be one of"):
        moved([1, 0, 0, 0, 1, 0, 0, 0], interpolation="CUBIC")


@pytest.mark.parametrize(
    "fill_mode",
    [
        "CONSTANT",
        *(pytest.param(m, marks=pytest.mark.slow) for m in ("REFLECT", "WRAP", "NEAREST")),
    ],
)
def test_compiled(fill_mode):
    pytest.importorskip("jax")
    tilted = tf.constant([[1.1, 0.2, -1.3, 0.1, 0.9, 0.7, 0.01, 0.02]])

    def run(image, transforms):
        with tf.GradientTape() as tape:
            tape.watch(image)
            y = project(
                images=image,
                transforms=transforms,
                output_shape=[3, 3],
                fill_value=0.5,
                interpolation="BILINEAR",
                fill_mode=fill_mode,
            )
        return y, tape.gradient(y, image)

    given = (tf.constant(IMAGE), tilted)
    for a, b in zip(run(*given), tf.function(run, jit_compile=True)(*given), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)
