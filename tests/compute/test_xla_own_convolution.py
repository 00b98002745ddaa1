"""XLA's own convolution: values as NumPy's, whatever the number of threads."""

import functools

import numpy as np
import pytest

from gradtape._src.compute import convolution, xla_convolution, xla_own_convolution
from gradtape._src.ops.nn.window_geometry import Geometry, windows

pytestmark = pytest.mark.slow
jax = pytest.importorskip("jax")


def agree(images, filters, geometry):
    """Compares a convolution and its gradients in single precision with NumPy's."""
    draw, options = np.random.default_rng(0).standard_normal, {"geometry": geometry, "groups": 1}
    x, w, g = map(draw, (images, filters, (images[0], *geometry.out, filters[-1])))
    for kernel, pair in (("conv", (x, w)), ("conv_input", (g, w)), ("conv_filter", (x, g))):
        run = functools.partial(getattr(xla_convolution, f"{kernel}_xla"), **options)
        by_xla = jax.jit(run)(*(v.astype(np.float32) for v in pair))
        by_numpy = getattr(convolution, kernel)(*pair, **options)
        assert by_xla.shape == by_numpy.shape
        np.testing.assert_allclose(by_xla, by_numpy, rtol=1e-3, atol=1e-3)


def of_threads(monkeypatch, count):
    monkeypatch.setattr(xla_own_convolution.crew, "size", count)
    monkeypatch.setattr(xla_own_convolution, "_LEAST_SUM", 1)
    monkeypatch.setattr(xla_own_convolution, "_LEAST_WORK", 1)


@pytest.mark.parametrize("window", [(3,), (2, 3), (3, 2, 2)])
@pytest.mark.parametrize(
    ("strides", "dilation", "pads"),
    [(1, 1, (1, 1)), (2, 1, (6, 2)), (5, 1, (0, 0)), (1, 2, (0, 5))],
)
def test_images_beside_each_other(window, strides, dilation, pads, monkeypatch):
    of_threads(monkeypatch, 4)
    axes = len(window)
    space = (6, 7, 9)[-axes:]
    geometry = Geometry(space, window, (strides,) * axes, (pads,) * axes, (dilation,) * axes)
    agree((3, *space, 4), (*window, 4, 5), geometry)


@pytest.mark.parametrize("images", [1, 2])
@pytest.mark.parametrize(
    ("strides", "dilation", "pads"),
    [(1, 1, (1, 1)), (2, 1, (1, 1)), (1, 2, (2, 2)), (1, 1, (-1, 3))],
)
@pytest.mark.parametrize("window", [(3, 3), (2, 3, 2)])
def test_strips_of_images(window, images, strides, dilation, pads, monkeypatch):
    of_threads(monkeypatch, 2)
    monkeypatch.setattr(xla_own_convolution, "_EVEN", 1)
    monkeypatch.setattr(xla_own_convolution, "_TASK", 16)
    axes, counts = len(window), []
    space = (96, 15, 5)[:axes]
    geometry = Geometry(space, window, (strides,) * axes, (pads,) * axes, (dilation,) * axes)
    divided = xla_own_convolution._strips

    def counted(*given):
        counts.append(given[-2])
        return divided(*given)

    monkeypatch.setattr(xla_own_convolution, "_strips", counted)
    agree((images, *space, 4), (*window, 4, 5), geometry)
    assert len(window) == 3 or max(counts) > 1


@pytest.mark.parametrize(("threads", "batch"), [(1, 3), (2, 1)])
def test_one_thread_computes_images_as_they_are(threads, batch, monkeypatch):
    of_threads(monkeypatch, threads)
    geometry = windows((8, 8), (3, 3), (1, 1), "SAME", (1, 1), "test")
    run = functools.partial(xla_convolution.conv_xla, geometry=geometry, groups=1)
    shapes = (3, 8, 8, 6), (3, 3, 6, 12)
    given = (jax.ShapeDtypeStruct(shape, np.float32) for shape in shapes)
    made = jax.jit(run).lower(*given).as_text()
    (found,) = (line for line in made.splitlines() if "stablehlo.convolution" in line)
    assert f"-> tensor<{batch}x" in found


@pytest.mark.parametrize("pads", [(0, 0), (4, 1)])
@pytest.mark.parametrize(
    ("window", "strides"),
    [((4, 4), (2, 2)), ((7, 7), (2, 2)), ((6, 4), (3, 2)), ((3,), (2,)), ((5,), (4,))],
)
def test_strides_as_channels(window, strides, pads):
    axes = len(window)
    space = (19, 16)[:axes]
    agree(
        (2, *space, 3),
        (*window, 3, 5),
        Geometry(space, window, strides, (pads,) * axes, (1,) * axes),
    )


@pytest.mark.parametrize(("axes", "pads"), [(1, (3, 0)), (1, (0, 4)), (2, (5, 5))])
@pytest.mark.parametrize("strides", [1, 3])
def test_paddings_larger_than_windows(axes, strides, pads):
    space = (7, 5)[:axes]
    geometry = Geometry(space, (2,) * axes, (strides,) * axes, (pads,) * axes, (1,) * axes)
    agree((3, *space, 2), (*(2,) * axes, 2, 3), geometry)
