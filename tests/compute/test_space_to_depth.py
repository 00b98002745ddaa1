"""Blocks of images as channels."""

import numpy as np
import pytest

from gradtape._src.compute.space_to_depth import (
    filter_from_blocks,
    filter_in_blocks,
    image_from_blocks,
    image_in_blocks,
    in_blocks,
)
from gradtape._src.ops.nn.window_geometry import Geometry

STEM = Geometry((12, 10), (7, 3), (2, 2), ((3, 3), (1, 1)), (1, 1))


def test_the_smaller_image():
    blocks = in_blocks(STEM, 3)
    assert blocks.out == STEM.out
    assert (blocks.window, blocks.strides) == ((4, 2), (1, 1))
    x = np.arange(2.0 * 12 * 10 * 3).reshape(2, 12, 10, 3)
    small = image_in_blocks(x, STEM, blocks)
    assert small.shape == (2, *blocks.space, 12)
    np.testing.assert_array_equal(small[:, 2, 1, 3 * 3 : 4 * 3], x[:, 2, 2])
    np.testing.assert_array_equal(image_from_blocks(small, STEM), x)


def test_the_filter():
    blocks = in_blocks(STEM, 3)
    w = np.arange(7.0 * 3 * 3 * 4).reshape(7, 3, 3, 4)
    small = filter_in_blocks(w, STEM, blocks)
    assert small.shape == (4, 2, 12, 4)
    assert np.count_nonzero(small) == np.count_nonzero(w)
    np.testing.assert_array_equal(filter_from_blocks(small, STEM), w)


@pytest.mark.parametrize(
    ("changes", "channels"),
    [
        ({"strides": (1, 1)}, 3),
        ({"dilations": (1, 2)}, 3),
        ({"window": (2, 3)}, 3),
        ({}, 5),
    ],
    ids=["no strides", "dilations", "windows of one block", "many channels"],
)
def test_other_convolutions_stay_as_they_are(changes, channels):
    assert in_blocks(STEM._replace(**changes), channels) is None
