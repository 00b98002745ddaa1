"""Images and rankings under XLA: what has no derivative, and so no sample."""

from __future__ import annotations

import numpy as np
import pytest

import gradtape as tf

pytest.importorskip("jax")

pytestmark = pytest.mark.slow

IMAGES = np.random.default_rng(0).uniform(size=(2, 6, 5, 3)).astype("f4")
IMAGES[0, 0, 0], IMAGES[0, 0, 1] = 0, 0.5  # black and grey have no hue


def test_images():
    def run(x, by):
        return {
            "contrast": tf.image.adjust_contrast(x, by),
            "hue": tf.image.adjust_hue(x, by),
            "saturation": tf.image.adjust_saturation(x, by + 1.5),
            "area": tf.image.resize(x, (4, 7), method="area"),
            "bytes": tf.image.adjust_hue(tf.cast(x * 255, tf.uint8), by),
        }

    x, by = tf.constant(IMAGES), tf.constant(0.3)
    got = tf.function(run, jit_compile=True)(x, by)
    for name, want in run(x, by).items():
        assert got[name].dtype == want.dtype
        atol = 1 if name == "bytes" else 1e-6  # a byte is cut off, not rounded
        np.testing.assert_allclose(got[name].numpy(), want.numpy(), 1e-5, atol, err_msg=name)


@pytest.mark.parametrize("k", [0, 1, 2, 5])
def test_in_top_k(k):
    scores = tf.constant(
        [[1.0, 3, 2], [3, 1, 3], [np.inf, 1, 2], [np.nan, 1, 2], [1, 1, 1], [2, 3, 1]]
    )
    targets = tf.constant([1, 0, 1, 1, 2, 2])
    for shift in (0, 1, -2):  # beyond the classes at both ends
        run = lambda t, s: tf.math.in_top_k(t, s, k)  # noqa: E731
        got = tf.function(run, jit_compile=True)(targets + shift, scores)
        assert got.numpy().tolist() == run(targets + shift, scores).numpy().tolist()
