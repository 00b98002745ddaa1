"""PNG files of 16 bits: written and read."""

import numpy as np
import pytest

from gradtape._src.files import png

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
@pytest.mark.parametrize("level", [-1, 0, 9])
def test_there_and_back(channels, level):
    image = RNG.integers(0, 2**16, (5, 7, channels), np.uint16)
    data = png.encoded(image, level)
    assert png.is_of_16_bits(data)
    np.testing.assert_array_equal(png.decoded(data), image)


def test_files_of_8_bits_are_told_apart():
    data = png.encoded(np.zeros((2, 2, 3), np.uint8), -1)
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    assert not png.is_of_16_bits(data)


def test_smooth_images_become_small():
    smooth = np.broadcast_to(np.arange(200, dtype=np.uint16)[:, None, None], (200, 200, 1))
    assert len(png.encoded(np.ascontiguousarray(smooth), 9)) < 10_000


@pytest.mark.parametrize("cut", [20, 40, -20])
def test_damaged_files(cut):
    data = png.encoded(RNG.integers(0, 2**16, (5, 7, 3), np.uint16), -1)
    with pytest.raises((ValueError, IndexError)):
        png.decoded(data[:cut])
