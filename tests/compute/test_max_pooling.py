"""The greatest element of each window, against loops over windows."""

import numpy as np
import pytest

from gradtape._src.compute.max_pooling import greatest, picked, places, put
from gradtape._src.compute.parallel import BLOCK
from gradtape._src.ops.nn.window_geometry import Geometry

RNG = np.random.default_rng(0)
NAN = np.nan
CASES = {
    "apart": Geometry((4, 6), (2, 2), (2, 2), ((0, 0), (0, 0)), (1, 1)),
    "with elements between": Geometry((5, 7), (2, 2), (3, 3), ((0, 0), (0, 0)), (1, 1)),
    "overlapping": Geometry((4, 5), (3, 2), (1, 1), ((1, 1), (0, 1)), (1, 1)),
    "dilated": Geometry((6, 5), (2, 2), (2, 1), ((1, 0), (1, 1)), (2, 3)),
    "line": Geometry((7,), (3,), (2,), ((1, 1),), (1,)),
    "space": Geometry((3, 4, 3), (2, 2, 2), (1, 2, 1), ((0, 1), (0, 0), (0, 0)), (1, 1, 1)),
    "larger than the image": Geometry((3, 4), (9, 11), (1, 2), ((4, 4), (5, 5)), (1, 1)),
    "larger and dilated": Geometry((4, 3), (5, 1), (1, 1), ((4, 4), (0, 0)), (2, 1)),
    "line of many elements": Geometry((40,), (9,), (2,), ((4, 4),), (1,)),
    "large window": Geometry((20, 20), (17, 17), (3, 3), ((8, 8), (8, 8)), (1, 1)),
}


def by_loops(x, geometry):
    """The flat index in the image of the first element that no other exceeds."""
    found = np.zeros((len(x), *geometry.out, x.shape[-1]), np.int64)
    for n, *window, c in np.ndindex(*found.shape):
        best = None
        for place in np.ndindex(*geometry.window):
            at = [
                o * s + k * d - lo
                for o, s, k, d, (lo, _) in zip(
                    window,
                    geometry.strides,
                    place,
                    geometry.dilations,
                    geometry.pads,
                    strict=True,
                )
            ]
            if any(i < 0 or i >= size for i, size in zip(at, geometry.space, strict=True)):
                continue
            value = x[(n, *at, c)]
            if best is None or value > best:
                best = value
                found[(n, *window, c)] = np.ravel_multi_index(at, geometry.space)
    return found


def images(geometry, kind):
    x = RNG.integers(-3, 3, (2, *geometry.space, 2))
    if kind == "NaN and infinity":
        x = np.where(x == 0, NAN, np.where(x == 1, -np.inf, x))
    if kind == "infinity":
        x = np.where(x == 2, np.inf, np.where(x < 1, -np.inf, x))
    return x.astype({"whole": np.int32, "half": np.float16}.get(kind, np.float32))


@pytest.mark.parametrize("kind", ["ties", "infinity", "NaN and infinity", "whole", "half"])
@pytest.mark.parametrize("name", CASES)
def test_the_first_greatest_element(name, kind):
    geometry = CASES[name]
    x = images(geometry, kind)
    expected = by_loops(x, geometry)
    np.testing.assert_array_equal(places(x, geometry=geometry), expected)
    flat = x.reshape(2, -1, 2)
    own = np.take_along_axis(flat, expected.reshape(2, -1, 2), 1).reshape(expected.shape)
    np.testing.assert_array_equal(picked(x, x, geometry=geometry), own)
    if kind != "NaN and infinity":
        np.testing.assert_array_equal(greatest(x, geometry=geometry), own)
    g = RNG.integers(1, 9, expected.shape).astype(np.float32)
    image = np.zeros(flat.shape, np.float32)
    for at in np.ndindex(*expected.shape):
        image[at[0], expected[at], at[-1]] += g[at]
    np.testing.assert_array_equal(put(g, x, geometry=geometry), image.reshape(x.shape))


def test_cotangents_that_are_not_finite_stay_where_they_are():
    geometry = CASES["apart"]
    x = RNG.normal(size=(1, 4, 6, 1)).astype(np.float32)
    g = np.full((1, *geometry.out, 1), np.inf, np.float32)
    out = put(g, x, geometry=geometry)
    assert np.isinf(out).sum() == g.size
    assert not np.isnan(out).any()


@pytest.mark.parametrize("name", CASES)
def test_large_images_have_the_values_of_their_parts(name):
    geometry = CASES[name]
    count = BLOCK // np.prod(geometry.space) + 1
    x = RNG.integers(-3, 3, (count, *geometry.space, 4)).astype(np.float32)
    best = greatest(x, geometry=geometry)
    g = RNG.integers(1, 9, best.shape).astype(np.float32)
    image = put(g, x, geometry=geometry)
    for k in (0, count - 1):
        own = slice(k, k + 1)
        np.testing.assert_array_equal(best[own], greatest(x[own], geometry=geometry))
        np.testing.assert_array_equal(image[own], put(g[own], x[own], geometry=geometry))
