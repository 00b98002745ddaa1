"""Padded images, and the parts of convolutions with strides."""

import numpy as np
import pytest

from gradtape._src.compute import window_views
from gradtape._src.compute.parallel import crew
from gradtape._src.compute.window_views import Lines, Phases, buffer, padded, phases, turned
from gradtape._src.ops.nn.window_geometry import Geometry

GEOMETRIES = [
    Geometry((7, 6), (3, 2), (1, 1), ((1, 1), (0, 1)), (1, 1)),
    Geometry((7, 6), (3, 4), (2, 3), ((1, 2), (3, 0)), (1, 2)),
    Geometry((9, 9), (3, 4), (4, 2), ((1, 2), (3, 0)), (6, 1)),
    Geometry((2, 3), (3, 2), (3, 1), ((7, 5), (3, 4)), (1, 2)),
]
WITH_RESULTS = [geometry for geometry in GEOMETRIES if all(geometry.out)]
LINE = Geometry((9,), (3,), (2,), ((1, 1),), (1,))
SPACE = Geometry((4, 3, 5), (2, 2, 3), (2, 1, 2), ((-1, 1), (0, 1), (0, 1)), (1, 1, 1))


@pytest.mark.parametrize(
    "pads", [((1, 2), (0, 3)), ((-1, 2), (3, -2)), ((0, 0), (0, 0)), ((-5, 6), (9, -4))]
)
def test_padding_is_zero_and_negative_padding_removes(pads):
    x = np.arange(1.0, 25.0).reshape(2, 4, 3, 1)
    made = padded(x, Geometry((4, 3), (1, 1), (1, 1), pads, (1, 1)))
    wide = np.pad(x, [(0, 0), *((max(lo, 0), max(hi, 0)) for lo, hi in pads), (0, 0)])
    keep = (slice(max(-lo, 0), min(hi, 0) or None) for lo, hi in pads)
    np.testing.assert_array_equal(made, wide[(slice(None), *keep)])


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("wide", [6, 7])  # whether columns of windows with strides are not copied
@pytest.mark.parametrize(("most", "images"), [(1, 5), (12, 5), (1 << 19, 5), (1 << 19, 1)])
@pytest.mark.parametrize("geometry", [*WITH_RESULTS, LINE, SPACE], ids=str)
def test_blocks_of_lines_are_all_windows(geometry, most, images, wide, threads, monkeypatch):
    monkeypatch.setattr(window_views, "_LINES", most)
    monkeypatch.setattr(window_views, "BLOCK", 40)
    monkeypatch.setattr(window_views, "SHARED", 1)
    monkeypatch.setattr(crew, "size", threads)
    x = np.random.default_rng(0).standard_normal((images, *geometry.space, 2))
    whole = np.repeat(padded(x, geometry), 3, -1)
    lines = Lines(x, geometry, 6, wide)
    assert lines.is_merged is (wide == 7 or geometry.strides[-1] == 1)
    axes = (slice(None),) * (len(geometry.out) + (not lines.is_merged))
    seen = np.zeros((images, geometry.out[0]), int)
    buffer.of(1 << 16, x.dtype)[...] = np.nan  # what was there before is not read
    for block in lines.blocks:
        seen[block] += 1
        found = lines.of_block(*block)
        for at, place in zip(geometry.offsets(), np.ndindex(*geometry.window), strict=True):
            expected = whole[(slice(None), *at)][block]
            outer = found[axes + place]
            np.testing.assert_array_equal(outer.reshape(expected.shape), expected)
    np.testing.assert_array_equal(seen, 1)
    if images == 1 < threads and len(geometry.out) > 1 and geometry.out[0] > 1:
        assert len(lines.blocks) > 1


@pytest.mark.parametrize("geometry", [*WITH_RESULTS, LINE, SPACE], ids=str)
def test_windows_of_several_convolutions_of_the_same_images(geometry):
    parts = [turned(own) for _, _, own in phases(geometry) if all(own.space)]
    x = np.random.default_rng(0).standard_normal((3, *geometry.out, 2))
    buffer.of(1 << 16, x.dtype)[...] = np.nan
    for own, found in zip(parts, Phases(x, parts).of_block(slice(1, 3)), strict=True):
        whole = padded(x[1:3], own)
        for at, place in zip(own.offsets(), np.ndindex(*own.window), strict=True):
            expected = whole[(slice(None), *at)]
            outer = found[(slice(None),) * len(own.out) + place]
            np.testing.assert_array_equal(outer.reshape(expected.shape), expected)


@pytest.mark.parametrize("geometry", GEOMETRIES)
def test_parts_have_the_same_windows_without_strides(geometry):
    of_image = np.arange(1.0, 1 + np.prod(geometry.space)).reshape(1, *geometry.space, 1)
    whole, used = padded(of_image, geometry), np.zeros(geometry.window, int)
    places = np.arange(used.size).reshape(geometry.window)
    expected = [whole[(0, *at, 0)] for at in geometry.offsets()]
    for at, of_window, own in phases(geometry):
        used[of_window] += 1
        assert set(own.strides) == {1}
        assert own.out == geometry.out
        part = padded(of_image[at], own)
        for k, place in zip(places[of_window].ravel(), own.offsets(), strict=True):
            np.testing.assert_array_equal(part[(0, *place, 0)], expected[k])
    np.testing.assert_array_equal(used, 1)  # no element of the window twice, and none left out


def test_turned_windows_reach_from_the_results_to_the_image():
    back = turned(GEOMETRIES[0])
    assert back.space == GEOMETRIES[0].out
    assert back.out == GEOMETRIES[0].space
    assert turned(back) == GEOMETRIES[0]
