"""Patches of volumes."""

import numpy as np
import pytest
from tolerances import close

import gradtape as tf


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
def test_volume_patches(padding):
    x = np.random.default_rng(0).normal(size=(1, 1, 5, 6, 2))
    got = tf.extract_volume_patches(x, [1, 1, 2, 3, 1], [1, 1, 2, 2, 1], padding)
    want = tf.image.extract_patches(x[:, 0], [1, 2, 3, 1], [1, 2, 2, 1], [1] * 4, padding)
    close(got[:, 0], want)


def test_volume_patches_skip_elements_on_both_sides():
    """TensorFlow's result for strides greater than the window."""
    x = tf.reshape(tf.range(7.0), [1, 7, 1, 1, 1])
    got = tf.extract_volume_patches(x, [1] * 5, [1, 4, 1, 1, 1], "SAME")
    assert got.numpy().ravel().tolist() == [1.0, 5.0]
