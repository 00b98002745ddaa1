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
