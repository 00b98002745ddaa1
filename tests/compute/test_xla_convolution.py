"""Convolutions in XLA's programs: values as NumPy's, and products where these are faster."""

import functools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gradtape as tf
from gradtape._src.compute import xla_convolution
from gradtape._src.compute.convolution import conv_filter
from gradtape._src.ops.nn.window_geometry import Geometry, windows

pytestmark = pytest.mark.slow
jax = pytest.importorskip("jax")

KINDS = {  # of filters, by channels and outputs: (channels of a group, groups)
    "dense": lambda channels: (channels, 1),
    "grouped": lambda channels: (2, channels // 2),
    "depthwise": lambda channels: (1, channels),
}


def derivatives(x, w, **options):
    def compute(x, w):
        with tf.GradientTape() as tape:
            tape.watch([x, w])
            y = tf.nn.convolution(x, w, **options)
            loss = tf.reduce_sum(tf.sin(y))
        return y, *tape.gradient(loss, [x, w])

    return compute(x, w), tf.function(compute, jit_compile=True)(x, w)


@settings(max_examples=40, deadline=None)
@given(
    axes=st.integers(1, 3),
    window=st.integers(1, 3),
    stride=st.integers(1, 3),
    dilation=st.integers(1, 2),
    padding=st.sampled_from(["SAME", "VALID"]),
    kind=st.sampled_from(sorted(KINDS)),
    multiplier=st.integers(1, 2),
    seed=st.integers(0, 1000),
)
def test_values_and_gradients(axes, window, stride, dilation, padding, kind, multiplier, seed):
    draw = np.random.default_rng(seed).standard_normal
    stride = 1 if dilation > 1 else stride  # both at once are refused
    own, _ = KINDS[kind](4)
    x = tf.constant(draw((2, *(7, 6, 5)[:axes], 4)))
    w = tf.constant(draw((*(window,) * axes, own, 4 * multiplier)))
    eager, compiled = derivatives(x, w, strides=stride, padding=padding, dilations=dilation)
    for a, b in zip(eager, compiled, strict=True):
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    ("shape", "filters", "strides"),
    [
        ((2, 6, 4, 3), (3, 2, 3, 5), (3, 2)),
        ((2, 6, 3), (2, 3, 5), (2,)),
        ((1, 4, 4, 2, 3), (2, 2, 1, 3, 4), (2, 2, 1)),
        ((2, 5, 5, 4, 64), (2, 3, 2, 2, 96), (1, 2, 1)),
    ],
    ids=["patches", "patches of a line", "patches of a space", "groups of a space"],
)
def test_divided_images_and_groups(shape, filters, strides):
    draw = np.random.default_rng(0).standard_normal
    x, w = tf.constant(draw(shape)), tf.constant(draw(filters))
    eager, compiled = derivatives(x, w, strides=strides, padding="VALID")
    for a, b in zip(eager, compiled, strict=True):
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("lines", [1, 1 << 13])
@pytest.mark.parametrize("strides", [(1, 1), (1, 2), (2, 1), (1, 1, 1), (2, 1, 2)])
@pytest.mark.parametrize("channels", [3, 40])
def test_depthwise_filters(channels, strides, lines, monkeypatch):
    monkeypatch.setattr(xla_convolution, "_LINES", lines)
    draw, axes = np.random.default_rng(0).standard_normal, len(strides)
    images = draw((2, *(9, 8, 6)[:axes], channels))
    geometry = windows(images.shape[1:-1], (3,) * axes, strides, "SAME", (1,) * axes, "test")
    cotangents = draw((2, *geometry.out, channels))
    options = {"geometry": geometry, "groups": channels}
    by_xla = xla_convolution.conv_filter_xla(*map(jax.numpy.array, (images, cotangents)), **options)
    by_numpy = conv_filter(images, cotangents, **options)
    assert by_xla.shape == (*(3,) * axes, 1, channels)
    np.testing.assert_allclose(by_xla, by_numpy, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    ("shape", "window", "outputs", "groups"),
    [
        ((2, 7, 6, 8), (3, 2), 16, 4),
        ((2, 9, 40), (4,), 60, 20),
        ((1, 5, 4, 6, 4), (2, 3, 2), 4, 2),
        ((2, 5, 9, 8, 32), (3, 2, 3), 3, 1),
        ((2, 6, 9, 32), (3, 2), 4, 1),
        ((2, 12, 15, 32), (3, 1), 16, 1),
    ],
    ids=[
        "groups",
        "groups of a line",
        "groups of a space",
        "planes of a space",
        "turned lines",
        "lines",
    ],
)
@pytest.mark.parametrize("dilation", [1, 2])
@pytest.mark.parametrize("pads", [(0, 0), (1, 3), (5, 0), (0, 6)])
def test_filters_by_products(shape, window, outputs, groups, dilation, pads, monkeypatch):
    monkeypatch.setattr(xla_convolution, "_PRODUCT", 1 << 11)  # several lines, but not all
    draw, axes = np.random.default_rng(0).standard_normal, len(window)
    geometry = Geometry(shape[1:-1], window, (1,) * axes, (pads,) * axes, (dilation,) * axes)
    images, cotangents = draw(shape), draw((shape[0], *geometry.out, outputs))
    options = {"geometry": geometry, "groups": groups}
    run = functools.partial(xla_convolution.conv_filter_xla, **options)
    by_xla = jax.jit(run)(*map(jax.numpy.array, (images, cotangents)))
    assert "stablehlo.convolution" not in jax.jit(run).lower(images, cotangents).as_text()
    by_numpy = conv_filter(images, cotangents, **options)
    np.testing.assert_allclose(by_xla, by_numpy, rtol=1e-3, atol=1e-3)


def text(kernel, *shapes, groups, window, dtype=np.float32, platform="cpu"):
    """Returns the program of a kernel for a platform, which this machine may lack."""
    geometry = windows((8, 8), window, (1, 1), "SAME", (1, 1), "test")
    xs = [jax.ShapeDtypeStruct(shape, dtype) for shape in shapes]
    run = functools.partial(getattr(xla_convolution, kernel), geometry=geometry, groups=groups)
    return jax.jit(run).trace(*xs).lower(lowering_platforms=(platform,)).as_text()


IMAGE = (2, 8, 8, 6)
KERNELS = {"conv_xla", "conv_input_xla", "conv_filter_xla"}


LAYERS = pytest.mark.parametrize(
    ("window", "filters", "groups", "by_products"),
    [
        ((1, 1), (1, 1, 6, 12), 1, KERNELS),
        ((3, 3), (3, 3, 6, 12), 1, set()),
        ((3, 3), (3, 3, 1, 12), 6, KERNELS),
        ((3, 3), (3, 3, 2, 12), 3, {"conv_filter_xla"}),
        ((11, 11), (11, 11, 1, 12), 6, {"conv_filter_xla"}),
    ],
)
COUNTED = "stablehlo.convolution"


def texts(window, filters, groups, platform):
    out = (2, 8, 8, 12)
    shapes = {"conv_xla": (IMAGE, filters), "conv_input_xla": (out, filters)}
    shapes["conv_filter_xla"] = (IMAGE, out)
    options = {"groups": groups, "window": window, "platform": platform}
    return {kernel: text(kernel, *pair, **options) for kernel, pair in shapes.items()}


@LAYERS
def test_products_on_processors(window, filters, groups, by_products):
    found = texts(window, filters, groups, "cpu")
    assert {kernel for kernel, made in found.items() if COUNTED not in made} == by_products


@LAYERS
@pytest.mark.parametrize("platform", ["cuda", "rocm", "tpu"])
def test_other_devices_compute_by_themselves(window, filters, groups, by_products, platform):
    for made in texts(window, filters, groups, platform).values():
        assert made.count(COUNTED) == 1
        assert "stablehlo.dot" not in made
        assert "stablehlo.while" not in made


def test_halves_are_added_up_by_xla():
    used = text("conv_xla", IMAGE, (1, 1, 6, 12), groups=1, window=(1, 1), dtype=np.float16)
    assert COUNTED in used


@pytest.mark.parametrize("platform", ["cpu", "cuda"])
def test_a_function_is_compiled_for_the_platform_of_its_inputs(platform):
    @tf.function(jit_compile=True)
    def compute(x, w):
        with tf.GradientTape() as tape:
            tape.watch([x, w])
            y = tf.nn.depthwise_conv2d(x, w, (1, 1, 1, 1), "SAME")
        return y, *tape.gradient(y, [x, w])

    given = tf.ones(IMAGE), tf.ones((3, 3, 6, 1))
    compute(*given)  # as on this machine, which has no other platform
    (trace,) = compute._callable_traces().traces.values()
    program = trace.call.program_for(given)
    specs = [jax.ShapeDtypeStruct(x.shape, np.float32) for x in given]
    made = program.run.trace(*specs).lower(lowering_platforms=(platform,)).as_text()
    assert made.count(COUNTED) == {"cpu": 0, "cuda": 3}[platform]


@pytest.mark.parametrize("kind", sorted(KINDS))
@pytest.mark.parametrize(("stride", "dilation"), [(1, 1), (2, 1), (1, 2)])
@pytest.mark.parametrize("padding", ["SAME", "VALID"])
def test_convolutions_that_gpus_lack(kind, stride, dilation, padding, monkeypatch):
    monkeypatch.setattr(
        xla_convolution.lax, "platform_dependent", lambda *xs, cpu, default: default(*xs)
    )
    draw, own = np.random.default_rng(0).standard_normal, KINDS[kind](4)[0]
    x, w = tf.constant(draw((2, 5, 4, 5, 3, 4))), tf.constant(draw((2, 2, 1, 2, own, 8)))
    options = {"strides": stride, "padding": padding, "dilations": dilation}
    eager, compiled = derivatives(x, w, **options)  # four axes
    for a, b in zip(eager, compiled, strict=True):
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-9, atol=1e-9)
    x, w = (tf.cast(9 * draw(shape), tf.int32) for shape in ((2, 5, 4, 4), (3, 2, own, 8)))
    run = functools.partial(tf.nn.convolution, **options)
    whole = tf.function(lambda x, w: run(x, w), jit_compile=True)
    assert (whole(x, w).numpy() == run(x, w).numpy()).all()
    text = whole.experimental_get_compiler_ir(x, w)("stablehlo")
    assert "dot_general" in text
    assert "stablehlo.convolution" not in text


@pytest.mark.parametrize("convolve", [tf.nn.conv2d, tf.nn.depthwise_conv2d])
@pytest.mark.parametrize("stride", [1, 2])
def test_images_without_a_window_have_gradients_of_zero(convolve, stride):
    @tf.function(jit_compile=True)
    def compute(x, w):
        with tf.GradientTape() as tape:
            tape.watch([x, w])
            y = convolve(x, w, [1, stride, stride, 1], "VALID")
        return y, *tape.gradient(y, [x, w])

    y, *slopes = compute(tf.ones((2, 2, 2, 4)), tf.ones((3, 3, 4, 1)))
    assert y.shape[:3] == (2, 0, 0)
    assert [s.shape for s in slopes] == [(2, 2, 2, 4), (3, 3, 4, 1)]
    assert not any(s.numpy().any() for s in slopes)
