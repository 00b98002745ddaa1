"""Windows along one axis after another, against all elements of windows of padded images."""

import numpy as np
import pytest

from gradtape._src.compute import window_views
from gradtape._src.compute.parallel import crew
from gradtape._src.compute.window_views import (
    Scratch,
    apart,
    axes,
    by_lines,
    met,
    over_axes,
    spread_equally,
    together,
)
from gradtape._src.ops.nn.window_geometry import Geometry

RNG = np.random.default_rng(0)
BY_AXES = {
    "tiles": Geometry((4, 6), (2, 2), (2, 2), ((0, 0), (0, 0)), (1, 1)),
    "a rest": Geometry((5, 7), (2, 2), (2, 2), ((0, 0), (0, 0)), (1, 1)),
    "with elements between": Geometry((7, 8), (2, 1), (3, 2), ((0, 0), (1, 0)), (1, 1)),
    "overlapping": Geometry((7, 6), (3, 3), (2, 2), ((1, 1), (0, 1)), (1, 1)),
    "without strides": Geometry((4, 5), (3, 2), (1, 1), ((1, 1), (0, 1)), (1, 1)),
    "dilated": Geometry((9, 8), (2, 3), (2, 3), ((1, 0), (1, 1)), (2, 2)),
    "strides beyond the image": Geometry((3, 2), (2, 2), (9, 7), ((0, 9), (0, 7)), (1, 1)),
    "windows of padding": Geometry((2, 3), (2, 2), (1, 2), ((3, 2), (2, 3)), (1, 1)),
    "line": Geometry((7,), (3,), (2,), ((1, 1),), (1,)),
    "space": Geometry((3, 4, 5), (2, 2, 2), (1, 2, 3), ((0, 1), (0, 0), (1, 0)), (1, 1, 1)),
}


def padded_sums(x, geometry):
    made = np.pad(x, [(0, 0), *geometry.pads, (0, 0)])
    return sum(made[(slice(None), *at)] for at in geometry.offsets())


def scratch(size=0, is_apart=True):
    return Scratch(np.empty(size, np.uint8), is_apart)


def sums(x, geometry, size=0, is_apart=True):
    return over_axes(np.add, x, geometry, 0, None, scratch(size, is_apart))[-1][-1]


@pytest.mark.parametrize("is_apart", [True, False])
@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("name", BY_AXES)
def test_sums_over_windows_and_their_cotangents(name, channels, is_apart):
    geometry = BY_AXES[name]
    x = RNG.integers(-9, 9, (2, *geometry.space, channels)).astype(np.float32)
    expected = padded_sums(x, geometry)
    np.testing.assert_array_equal(sums(x, geometry, is_apart=is_apart), expected)
    g = RNG.integers(-9, 9, expected.shape).astype(np.float32)
    share = g
    for axis in reversed(axes(geometry, is_apart)):
        space = *geometry.out[: axis.number], *geometry.space[axis.number :]
        onto = np.full((2, *space, channels), np.nan, np.float32)
        spread_equally(share, axis, onto, scratch())
        share = onto
    assert np.vdot(share, x) == np.vdot(g, expected)


@pytest.mark.parametrize("name", BY_AXES)
def test_images_whose_channels_have_gaps(name):
    geometry = BY_AXES[name]
    x = RNG.integers(-9, 9, (2, 3, *geometry.space)).astype(np.float32)
    x = np.moveaxis(x, 1, -1)
    np.testing.assert_array_equal(sums(x, geometry), padded_sums(x, geometry))


@pytest.mark.parametrize("name", BY_AXES)
def test_columns_that_were_apart(name):
    axis = axes(BY_AXES[name])[-1]
    x = RNG.normal(size=(2, *BY_AXES[name].space, 3))
    if axis.parts > 1:
        out = np.empty_like(x)
        together(apart(x, axis, scratch()), axis, out)
        np.testing.assert_array_equal(out, x)
    else:
        assert apart(x, axis, scratch()) is x


def test_the_size_of_numpys_buffer_is_restored():
    before, sizes = np.getbufsize(), []
    by_lines(lambda *_: sizes.append(np.getbufsize()), 2, 1 << 20, 8)
    assert len(sizes) == 2
    assert max(sizes) < before == np.getbufsize()

    def fails(*_):
        raise ValueError

    with pytest.raises(ValueError):
        by_lines(fails, 2, 1 << 20, 8)
    assert np.getbufsize() == before


@pytest.mark.parametrize("width", [1, 5000, 1 << 20])
@pytest.mark.parametrize("images", [0, 1, 7, 100])
def test_each_image_is_in_one_block(images, width):
    found = np.zeros(images, int)

    def step(block, scratch):
        found[block] += 1

    by_lines(step, images, width, 8)
    assert (found == 1).all()


def test_temporary_arrays_lie_in_kept_memory_apart_from_each_other():
    memory = scratch(1 << 10)
    first, second = (memory.empty((3, 5), np.float32) for _ in range(2))
    first[...], second[...] = 1, 2
    assert first.sum() == 15
    assert not first.flags.owndata
    assert first.ctypes.data % 4 == second.ctypes.data % 4 == 0
    mark = memory.used
    memory.empty((8,), np.int8)[...] = 3
    memory.used = mark
    assert memory.empty((8,), np.int8)[0] == 3
    assert memory.empty((1 << 10,), np.int8).flags.owndata


@pytest.mark.parametrize("size", [0, 100, 1 << 16])
@pytest.mark.parametrize("name", BY_AXES)
def test_values_do_not_depend_on_the_kept_memory(name, size):
    x = RNG.integers(-9, 9, (2, *BY_AXES[name].space, 3)).astype(np.float32)
    np.testing.assert_array_equal(sums(x, BY_AXES[name], size), sums(x, BY_AXES[name]))


def test_memory_is_kept_for_the_next_call_within_limits(monkeypatch):
    free = []
    monkeypatch.setattr(window_views, "_free", free)
    found = []

    def step(block, scratch):
        found.append(scratch.empty((1 << 18,), np.int8).flags.owndata)

    for _ in range(2):
        by_lines(step, 3, 1 << 17, 1 << 18)
    assert not any(found)
    before = [*map(id, free)]
    assert 0 < len(free) <= crew.size
    by_lines(step, 3, 1 << 17, 1 << 18)
    assert sorted(before) == sorted(map(id, free))
    found.clear()
    by_lines(step, 3, 1 << 17, 1 << 30)
    assert all(found)
    assert sum(map(len, free)) <= crew.size << 18


LARGE = 10**9
LARGER_THAN_IMAGES = {
    "all hold the image": Geometry((3,), (9,), (1,), ((4, 4),), (1,)),
    "some hold the image": Geometry((4,), (5,), (1,), ((2, 2),), (1,)),
    "with strides": Geometry((4, 5), (11, 9), (3, 2), ((6, 6), (4, 4)), (1, 1)),
    "dilated": Geometry((4,), (9,), (1,), ((8, 8),), (2,)),
    "a window of padding": Geometry((3,), (4,), (7,), ((7, 1),), (1,)),
    "padding alone": Geometry((2,), (3,), (1,), ((4, 0),), (1,)),
}


@pytest.mark.parametrize("name", LARGER_THAN_IMAGES)
def test_windows_meet_the_same_elements_without_most_beyond_the_image(name):
    geometry = LARGER_THAN_IMAGES[name]
    x = RNG.integers(-9, 9, (2, *geometry.space, 3)).astype(np.float32)
    less = met(geometry)
    assert np.min(less.pads) >= 0
    found = padded_sums(x, less)
    expected = padded_sums(x, geometry)
    np.testing.assert_array_equal(np.broadcast_to(found, expected.shape), expected)


@pytest.mark.parametrize("dilation", [1, 2])
@pytest.mark.parametrize("stride", [1, 3, LARGE])
def test_huge_windows_become_as_small_as_the_image(stride, dilation):
    total = (-(-5 // stride) - 1) * stride + (LARGE - 1) * dilation + 1 - 5
    pads = total // 2, total - total // 2
    less = met(Geometry((5,), (LARGE,), (stride,), (pads,), (dilation,)))
    assert less.window[0] <= 12
    assert less.padded[0] <= 20
