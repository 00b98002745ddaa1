"""Convolutions with groups: how groups are joined, and where results are written."""

import numpy as np
import pytest

from gradtape._src.compute import grouped_convolution
from gradtape._src.compute.grouped_convolution import grouped, grouped_filter
from gradtape._src.ops.nn.window_geometry import Geometry

GEOMETRY = Geometry((5, 6), (3, 2), (2, 1), ((1, 1), (0, 1)), (1, 1))


@pytest.mark.parametrize(
    ("groups", "channels", "expected"),
    [(32, 4, 4), (6, 4, 3), (5, 4, 5), (7, 4, 7), (17, 4, 1), (3, 64, 1), (2, 1, 2)],
)
def test_number_of_groups_that_are_one_product(groups, channels, expected):
    assert grouped_convolution._together(groups, channels, channels) == expected


@pytest.mark.parametrize("groups", [2, 5, 6])  # one channel each, or more
@pytest.mark.parametrize("multiple", [1, 2])
def test_each_group_alone_gives_the_same(groups, multiple):
    draw = np.random.default_rng(0).standard_normal
    x, channels = draw((3, *GEOMETRY.space, 30)), 30 // groups
    w = draw((*GEOMETRY.window, channels, 30 * multiple))
    out = np.empty((3, *GEOMETRY.out, 60 * multiple))[..., ::2]
    grouped(x, w, GEOMETRY, groups, out)
    found = grouped_filter(x, out, GEOMETRY, groups)
    for k in range(groups):
        ins = slice(k * channels, (k + 1) * channels)
        outs = slice(ins.start * multiple, ins.stop * multiple)
        one = np.zeros_like(out[..., outs])
        grouped(x[..., ins], w[..., outs], GEOMETRY, 1, one)
        np.testing.assert_allclose(out[..., outs], one, atol=1e-12)
        own = grouped_filter(x[..., ins], one, GEOMETRY, 1)
        np.testing.assert_allclose(found[..., outs], own, atol=1e-11)


@pytest.mark.parametrize(
    ("images", "multiple", "threads", "expected"),
    [(2, 1, 2, True), (2, 1, 3, False), (2, 2, 2, False)],
)
def test_parts_of_depthwise_images_are_computed_together(
    images, multiple, threads, expected, monkeypatch
):
    monkeypatch.setattr(grouped_convolution.crew, "size", threads)
    part = (slice(None),), np.ones((2, 2, 1, 4 * multiple)), GEOMETRY
    x = np.ones((images, 5, 6, 4))
    assert grouped_convolution.are_together(x, [part, part]) is expected
    assert not grouped_convolution.are_together(x, [part])
