"""The programs of functions of images."""

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.graphdef_export.composed import images


@pytest.mark.parametrize("shape", [(4, 6, 3), (2, 9, 3, 1)])
def test_programs_agree_with_the_functions(shape):
    x = tf.constant(np.random.default_rng(0).random(shape), tf.float32)
    pairs = [
        (images.padded, tf.image.pad_to_bounding_box, (1, 2, 12, 11)),
        (images.cropped, tf.image.crop_to_bounding_box, (1, 0, 3, 2)),
        (images.cropped_or_padded, tf.image.resize_with_crop_or_pad, (5, 4)),
    ]
    for program, function, sizes in pairs:
        np.testing.assert_array_equal(program(x, *sizes), function(x, *sizes))
    np.testing.assert_allclose(
        images.resized_and_padded(x, 7, 8, "bilinear", False),
        tf.image.resize_with_pad(x, 7, 8),
        atol=1e-6,
    )
