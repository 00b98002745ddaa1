"""Convolutions by blocks, against sums over windows written out."""

import sys

import numpy as np
import pytest

from gradtape._src.compute import (
    convolution,
    grouped_convolution,
    parallel,
    products,
    window_views,
)
from gradtape._src.compute.convolution import conv, conv_filter, conv_input
from gradtape._src.compute.parallel import crew
from gradtape._src.ops.nn.window_geometry import Geometry

RNG = np.random.default_rng(0)
CASES = {  # (space, window, strides, pads, dilations, channels, outputs, groups)
    "one element": ((5, 4), (1, 1), (1, 1), ((0, 0), (0, 0)), (1, 1), 3, 4, 1),
    "one element, strides": ((5, 4), (1, 1), (2, 2), ((0, 0), (0, 0)), (1, 1), 3, 4, 1),
    "same": ((6, 5), (3, 3), (1, 1), ((1, 1), (1, 1)), (1, 1), 3, 4, 1),
    "strides": ((7, 6), (3, 2), (2, 3), ((1, 1), (0, 1)), (1, 1), 2, 3, 1),
    "dilations": ((7, 6), (3, 2), (1, 1), ((2, 2), (1, 0)), (2, 1), 2, 3, 1),
    "wide padding": ((3, 3), (2, 2), (1, 1), ((3, 0), (0, 2)), (1, 1), 2, 2, 1),
    "groups": ((5, 4), (2, 3), (1, 1), ((1, 0), (1, 1)), (1, 1), 4, 6, 2),
    "groups, strides": ((5, 4), (2, 3), (2, 1), ((1, 0), (1, 1)), (1, 1), 4, 6, 2),
    "depthwise": ((5, 4), (3, 2), (1, 1), ((1, 1), (0, 1)), (1, 1), 4, 4, 4),
    "depthwise, dilations": ((6, 6), (3, 2), (1, 1), ((1, 1), (0, 1)), (2, 2), 4, 4, 4),
    "depthwise, strides": ((5, 6), (3, 3), (2, 2), ((1, 1), (0, 1)), (1, 1), 3, 3, 3),
    "depthwise, two outputs each": ((5, 4), (2, 2), (1, 1), ((1, 0), (0, 1)), (1, 1), 3, 6, 3),
    "depthwise, wide padding": ((3, 3), (2, 2), (1, 1), ((2, 0), (0, 2)), (1, 1), 3, 6, 3),
    "large window of one channel": ((12, 12), (11, 11), (1, 1), ((0, 0), (1, 1)), (1, 1), 2, 2, 2),
    "groups of several, one left": ((5, 4), (2, 3), (1, 1), ((1, 0), (1, 1)), (1, 1), 10, 15, 5),
    "groups, strides, dilations": ((9, 9), (3, 4), (4, 2), ((1, 2), (3, 0)), (6, 1), 4, 6, 2),
    "groups, far padding": ((2, 3), (3, 2), (3, 1), ((7, 5), (3, 4)), (1, 2), 4, 4, 2),
    "depthwise, strides, dilations": ((9, 9), (3, 4), (2, 3), ((1, 2), (3, 0)), (1, 2), 3, 6, 3),
    "depthwise, far padding": ((2, 3), (2, 3), (2, 3), ((7, 5), (9, 8)), (1, 1), 3, 3, 3),
    "strides, dilations": ((9, 9), (3, 4), (4, 2), ((1, 2), (3, 0)), (6, 1), 2, 3, 1),
    "far padding": ((2, 3), (2, 2), (3, 1), ((7, 5), (0, 0)), (1, 1), 5, 4, 1),
    "unused elements of the image": ((7, 6), (2, 1), (3, 2), ((0, 0), (0, 0)), (1, 1), 5, 4, 1),
    "lines": ((9, 7), (3, 2), (1, 1), ((1, 1), (0, 1)), (1, 1), 4, 3, 1),
    "lines, dilations and strides": ((9, 7), (3, 2), (1, 2), ((2, 2), (1, 0)), (2, 3), 4, 2, 1),
    "lines, space": ((3, 6, 5), (2, 3, 2), (2, 1, 1), ((1, 0), (1, 1), (0, 1)), (1, 2, 1), 3, 2, 1),
    "blocks": ((9, 8), (4, 3), (2, 2), ((1, 2), (0, 1)), (1, 1), 2, 3, 1),
    "blocks of three by one": ((11, 5), (5, 1), (3, 1), ((2, 2), (0, 0)), (1, 1), 2, 3, 1),
    "blocks, end of the image unused": ((11, 8), (3, 3), (2, 2), ((0, 0), (0, 0)), (1, 1), 2, 3, 1),
    "line": ((9,), (3,), (2,), ((1, 1),), (1,), 3, 2, 1),
    "line, groups": ((9,), (3,), (2,), ((2, 0),), (1,), 6, 6, 3),
    "line, depthwise": ((9,), (3,), (1,), ((2, 0),), (1,), 3, 3, 3),
    "space": ((4, 3, 5), (2, 2, 3), (1, 1, 2), ((1, 0), (0, 0), (1, 1)), (1, 1, 1), 2, 3, 1),
    "space, groups": ((4, 3, 5), (2, 2, 3), (1, 2, 1), ((0, 1),) * 3, (1,) * 3, 4, 4, 2),
    "space, depthwise, strides": (
        (4, 3, 5),
        (2, 2, 3),
        (2, 1, 2),
        ((0, 1),) * 3,
        (1,) * 3,
        3,
        3,
        3,
    ),
    "space, depthwise": ((4, 3, 5), (2, 2, 3), (1,) * 3, ((0, 0),) * 3, (1,) * 3, 2, 2, 2),
    "no window": ((2, 2), (3, 3), (1, 1), ((0, 0), (0, 0)), (1, 1), 2, 3, 1),
}


def written_out(x, w, geometry, groups):
    """The sums over all windows, one output channel after another."""
    pads = [(0, 0), *geometry.pads, (0, 0)]
    wide, out = np.pad(x, pads), np.zeros((len(x), *geometry.out, w.shape[-1]))
    for at, place in zip(geometry.offsets(), np.ndindex(*geometry.window), strict=True):
        part = wide[(slice(None), *at)]
        for o in range(w.shape[-1]):
            out[..., o] += part[..., own_channels(w, groups, o)] @ w[place][:, o]
    return out


def own_channels(w, groups, o):
    """The channels of images on which an output depends."""
    channels, outputs = w.shape[-2], w.shape[-1] // groups
    return slice(o // outputs * channels, (o // outputs + 1) * channels)


def case(name, dtype=np.float64):
    *sizes, channels, outputs, groups = CASES[name]
    geometry = Geometry(*sizes)
    x = RNG.normal(size=(3, *geometry.space, channels)).astype(dtype)
    w = RNG.normal(size=(*geometry.window, channels // groups, outputs)).astype(dtype)
    return x, w, geometry, groups


def kernels(x, w, g):
    """Returns each kernel, the function that writes it out, and its operands."""
    return (
        (conv, written_out, x, w),
        (conv_input, image_written_out, g, w),
        (conv_filter, filter_written_out, x, g),
    )


@pytest.mark.parametrize("least_width", [1, 64])  # whether products are by lines
@pytest.mark.parametrize("block", [1, 40, 1 << 18])
@pytest.mark.parametrize("name", CASES)
def test_values_and_adjoints(name, block, least_width, monkeypatch):
    monkeypatch.setattr(convolution, "_LEAST_WIDTH", least_width)
    monkeypatch.setattr(grouped_convolution, "_TOGETHER", 4)
    monkeypatch.setattr(grouped_convolution, "_ROWS", block)
    monkeypatch.setattr(convolution, "_BLOCK", block)
    monkeypatch.setattr(convolution, "_SHARED_BLOCK", block)
    x, w, geometry, groups = case(name)
    how = {"geometry": geometry, "groups": groups}
    out = conv(x, w, **how)
    np.testing.assert_allclose(out, written_out(x, w, geometry, groups), atol=1e-12)
    g = RNG.normal(size=out.shape)
    by_image, by_filter = conv_input(g, w, **how), conv_filter(x, g, **how)
    assert (by_image.shape, by_filter.shape) == (x.shape, w.shape)
    np.testing.assert_allclose((by_image * x).sum(), (g * out).sum(), atol=1e-10)
    np.testing.assert_allclose((by_filter * w).sum(), (g * out).sum(), atol=1e-10)


@pytest.mark.parametrize("least_width", [1, 64])
@pytest.mark.parametrize("name", CASES)
def test_threads_share_blocks(name, least_width, monkeypatch):
    monkeypatch.setattr(convolution, "_LEAST_WIDTH", least_width)
    monkeypatch.setattr(convolution, "_BLOCK", 40)
    monkeypatch.setattr(window_views, "_LINES", 20)
    monkeypatch.setattr(products, "_has_small_products", lambda: True)
    monkeypatch.setattr(crew, "size", 3)
    for module in (parallel, window_views, grouped_convolution):
        monkeypatch.setattr(module, "SHARED", 1, raising=False)
        monkeypatch.setattr(module, "BLOCK", 8)
    shared = []
    run_shared = parallel.run_shared
    monkeypatch.setattr(parallel, "run_shared", lambda *a: (shared.append(a), run_shared(*a)))
    x, w, geometry, groups = case(name)
    how = {"geometry": geometry, "groups": groups}
    out = conv(x, w, **how)
    np.testing.assert_allclose(out, written_out(x, w, geometry, groups), atol=1e-12)
    g = RNG.normal(size=out.shape)
    by_image, by_filter = conv_input(g, w, **how), conv_filter(x, g, **how)
    np.testing.assert_allclose(by_image, image_written_out(g, w, geometry, groups), atol=1e-12)
    np.testing.assert_allclose(by_filter, filter_written_out(x, g, geometry, groups), atol=1e-12)
    assert shared or groups == 1 or not out.size


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("tall", [1, 1000])  # whether products are by lines
@pytest.mark.parametrize("name", CASES)
def test_products_of_tiles(name, tall, threads, monkeypatch):
    *_, channels, outputs, groups = CASES[name]
    if groups > 1:
        return
    for module in (convolution, products):
        monkeypatch.setattr(module, "tile_of", lambda length, columns, _: (1, columns))
        sums = lambda length, columns, _: (channels, 1)  # noqa: E731
        monkeypatch.setattr(module, "tile_of_sum", sums)
    monkeypatch.setattr(convolution, "is_divided", lambda *_, **__: False)
    monkeypatch.setattr(convolution, "_LEAST_PRODUCTS", 0)
    monkeypatch.setattr(convolution, "_TALL", tall)
    monkeypatch.setattr(convolution, "_BLOCK", 40)
    monkeypatch.setattr(convolution, "_OUTPUTS", 1)
    monkeypatch.setattr(products, "SMALL", 60)
    monkeypatch.setattr(parallel, "SHARED", 1)
    monkeypatch.setattr(crew, "size", threads)
    calls = []
    for kernel in (products.add_products, products.add_sums):
        run = lambda *a, kernel=kernel: (calls.append(kernel), kernel(*a))  # noqa: E731
        monkeypatch.setattr(convolution, kernel.__name__, run)
    x, w, geometry, groups = case(name)
    how = {"geometry": geometry, "groups": groups}
    g = RNG.normal(size=(len(x), *geometry.out, outputs))
    for value in (0, np.nan):
        x.flat[x.size // 2], g.flat[g.size // 2 : g.size // 2 + 1] = value, value
        out, by_image, by_filter = (
            conv(x, w, **how),
            conv_input(g, w, **how),
            conv_filter(x, g, **how),
        )
        np.testing.assert_allclose(out, written_out(x, w, geometry, groups), atol=1e-12)
        np.testing.assert_allclose(by_image, image_written_out(g, w, geometry, groups), atol=1e-12)
        expected = filter_written_out(x, g, geometry, groups)
        np.testing.assert_allclose(by_filter, expected, atol=1e-12)
    assert len(set(calls)) == 2 or not out.size or geometry.window == (1, 1)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("seed", range(40))
def test_any_geometry(seed, threads, monkeypatch):
    monkeypatch.setattr(convolution, "_LEAST_WIDTH", 1)
    monkeypatch.setattr(products, "_has_small_products", lambda: True)
    monkeypatch.setattr(parallel, "SHARED", 1)
    monkeypatch.setattr(crew, "size", threads)
    draw = np.random.default_rng(seed)
    n, groups = draw.integers(1, 4), int(draw.choice([1, 2, 3, 5]))
    sizes = [draw.integers(1, high, n).tolist() for high in (9, 5, 4, 3)]
    pads = [tuple(draw.integers(0, 4, 2).tolist()) for _ in range(n)]
    geometry = Geometry(*map(tuple, [*sizes[:3], pads, sizes[3]]))
    channels, outputs, batch = (int(k) for k in draw.integers(1, 4, 3))
    x = draw.normal(size=(batch, *geometry.space, groups * channels))
    w = draw.normal(size=(*geometry.window, channels, groups * outputs))
    g = draw.normal(size=(batch, *geometry.out, groups * outputs))
    how = {"geometry": geometry, "groups": groups}
    for kernel, exact, a, b in kernels(x, w, g):
        np.testing.assert_allclose(kernel(a, b, **how), exact(a, b, geometry, groups), atol=1e-11)
        images = a.copy()
        if a.size:
            images.flat[draw.integers(a.size)] = draw.choice([np.nan, np.inf])
        found = kernel(images, b, **how)
        np.testing.assert_allclose(found, exact(images, b, geometry, groups), atol=1e-11)


@pytest.mark.parametrize("name", ["lines", "lines, dilations and strides", "lines, space"])
def test_each_thread_has_its_own_products_of_lines(name, monkeypatch):
    monkeypatch.setattr(convolution, "_LEAST_WIDTH", 1)
    monkeypatch.setattr(convolution, "_BLOCK", 40)
    monkeypatch.setattr(products, "_has_small_products", lambda: True)
    monkeypatch.setattr(crew, "size", 2)
    monkeypatch.setattr(parallel, "SHARED", 1)
    counts = []
    monkeypatch.setattr(
        parallel, "run_shared", lambda step, n, _: counts.append(n) or [*map(step, range(n))]
    )
    x, w, geometry, groups = case(name)
    out = conv(x, w, geometry=geometry, groups=groups)
    conv_filter(x, out, geometry=geometry, groups=groups)
    lines, shares = counts
    assert lines >= shares > 1


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("name", [name for name in CASES if max(CASES[name][2]) > 1])
def test_windows_of_images_are_added_up(name, threads, monkeypatch):
    x, w, geometry, groups = case(name)
    if groups > 1 or not all(geometry.out):
        return
    monkeypatch.setattr(convolution, "tile_of", lambda length, columns, _: (length, columns))
    monkeypatch.setattr(products, "tile_of", lambda length, columns, _: (length, columns))
    monkeypatch.setattr(convolution, "_TALL", 1)
    monkeypatch.setattr(parallel, "SHARED", 1)
    monkeypatch.setattr(crew, "size", threads)
    g = RNG.normal(size=(len(x), *geometry.out, w.shape[-1]))
    expected = image_written_out(g, w, geometry, groups)
    np.testing.assert_allclose(convolution._scattered(g, w, geometry), expected, atol=1e-12)
    g.flat[g.size // 2] = np.inf
    found = conv_input(g, w, geometry=geometry, groups=groups)
    np.testing.assert_allclose(found, image_written_out(g, w, geometry, groups), atol=1e-12)


def test_which_windows_are_added_up(monkeypatch):
    monkeypatch.setattr(convolution, "tile_of", lambda *_: (1, 1))
    monkeypatch.setattr(crew, "size", 2)
    geometry = Geometry((16, 16), (4, 4), (2, 2), ((1, 1), (1, 1)), (1, 1))
    g, w = np.ones((2, *geometry.out, 3)), np.ones((4, 4, 5, 3))
    assert convolution._is_scattered(g, w, geometry)
    assert not convolution._is_scattered(g[:1], w, geometry)  # one image for two threads
    assert not convolution._is_scattered(g[:, :2, :2], w, geometry)
    for other in ({"strides": (1, 2)}, {"strides": (4, 4)}, {"pads": ((-1, 1), (1, 1))}):
        assert not convolution._is_scattered(g, w, geometry._replace(**other))
    monkeypatch.setattr(convolution, "_SCATTERED", 1000)
    assert not convolution._is_scattered(g, w, geometry)


@pytest.mark.parametrize("threads", [1, 2, 5])  # five threads share lines of the three images
@pytest.mark.parametrize("wide", [1, 1000])  # whether columns of windows with strides are copied
@pytest.mark.parametrize("name", [name for name in CASES if "depthwise" in name])
def test_depthwise(name, wide, threads, monkeypatch):
    for constant in ("_WIDE", "_WIDE_SUM"):
        monkeypatch.setattr(grouped_convolution, constant, wide)
    monkeypatch.setattr(parallel, "SHARED", 1)
    monkeypatch.setattr(crew, "size", threads)
    x, w, geometry, groups = case(name)
    g = RNG.normal(size=(len(x), *geometry.out, w.shape[-1]))
    for kernel, exact, a, b in kernels(x, w, g):
        found = kernel(a, b, geometry=geometry, groups=groups)
        np.testing.assert_allclose(found, exact(a, b, geometry, groups), atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
@pytest.mark.parametrize("name", ["same", "strides", "groups", "depthwise", "depthwise, strides"])
def test_results_keep_the_dtype(name, dtype, monkeypatch):
    # Numbers of its own: the bound does not hold for all that earlier tests may leave.
    monkeypatch.setattr(sys.modules[__name__], "RNG", np.random.default_rng(0))
    x, w, geometry, groups = case(name, dtype)
    how = {"geometry": geometry, "groups": groups}
    out = conv(x, w, **how)
    exact = written_out(x.astype(float), w.astype(float), geometry, groups)
    assert out.dtype == conv_input(out, w, **how).dtype == conv_filter(x, out, **how).dtype == dtype
    np.testing.assert_allclose(out, exact, atol=np.finfo(dtype).eps * 20)


@pytest.mark.parametrize("name", ["lines", "lines, dilations and strides", "lines, space"])
def test_products_by_lines(name, monkeypatch):
    monkeypatch.setattr(convolution, "_LEAST_WIDTH", 1)
    _, _, geometry, _ = case(name)
    *_, channels, outputs, _ = CASES[name]
    assert convolution._is_by_lines(geometry, channels, outputs)


def test_images_in_any_memory_order():
    x, w, geometry, groups = case("same")
    turned = np.asfortranarray(x)
    expected = conv(x, w, geometry=geometry, groups=groups)
    np.testing.assert_allclose(conv(turned, w, geometry=geometry, groups=groups), expected)
    g = np.asfortranarray(expected)
    np.testing.assert_allclose(
        conv_filter(turned, g, geometry=geometry, groups=groups),
        conv_filter(x, expected, geometry=geometry, groups=groups),
    )


def image_written_out(g, w, geometry, groups):
    wide = np.zeros((len(g), *geometry.padded, groups * w.shape[-2]))
    for at, place in zip(geometry.offsets(), np.ndindex(*geometry.window), strict=True):
        for o in range(w.shape[-1]):
            wide[(slice(None), *at, own_channels(w, groups, o))] += g[..., o, None] * w[place][:, o]
    spaces = zip(geometry.space, geometry.pads, strict=True)
    return wide[(slice(None), *[slice(low, low + n) for n, (low, _) in spaces])]


def filter_written_out(x, g, geometry, groups):
    out = np.zeros((*geometry.window, x.shape[-1] // groups, g.shape[-1]))
    wide = np.pad(x, [(0, 0), *geometry.pads, (0, 0)])
    for at, place in zip(geometry.offsets(), np.ndindex(*geometry.window), strict=True):
        for o in range(g.shape[-1]):
            part = wide[(slice(None), *at, own_channels(out, groups, o))]
            out[place][:, o] = (part * g[..., o, None]).sum(tuple(range(g.ndim - 1)))
    return out


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("name", CASES)
def test_what_is_not_finite_reaches_only_its_windows(name, value):
    x, w, geometry, groups = case(name)
    g = RNG.normal(size=(len(x), *geometry.out, w.shape[-1]))
    for kernel, exact, a, b in kernels(x, w, g):
        images = a.copy()
        images.flat[a.size // 2 : a.size // 2 + 1] = value
        found = kernel(images, b, geometry=geometry, groups=groups)
        np.testing.assert_allclose(found, exact(images, b, geometry, groups), atol=1e-12)
