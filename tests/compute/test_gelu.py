"""The Gaussian error linear unit of large arrays, against float64."""

import numpy as np
import pytest
from scipy import special

import gradtape as tf
from gradtape._src.compute import gelu

LARGE = np.tile(
    np.concatenate(
        [
            np.linspace(-14, 14, 20_001),
            [0, -0.0, 1e-30, -1e-30, 1e-37, -1e-37, 1e10, -1e10, 3e38, -3e38, np.nan],
        ]
    ).astype("f4"),
    3,
)
WIDE = LARGE.astype(np.float64)


def test_values():
    expected = WIDE * special.ndtr(WIDE)
    found = tf.nn.gelu(LARGE)
    np.testing.assert_allclose(found, expected, rtol=6e-6, atol=1e-36)
    near = np.abs(WIDE) < 4
    np.testing.assert_allclose(found.numpy()[near], expected[near], rtol=1e-6)


def test_slopes():
    x = tf.constant(LARGE)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.gelu(x)
    density = np.exp(-np.square(WIDE) / 2) / np.sqrt(2 * np.pi)
    expected = special.ndtr(WIDE) + WIDE * density
    np.testing.assert_allclose(tape.gradient(y, x), expected, rtol=1e-6, atol=3e-7)


def test_infinities_are_those_of_small_arrays():
    few = np.array([np.inf, -np.inf, np.nan], "f4")
    slopes = []
    for array in (few, np.tile(few, 4000)):
        x = tf.constant(array)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.nn.gelu(x)
        slopes.append((y.numpy()[:3], tape.gradient(y, x).numpy()[:3]))
    np.testing.assert_array_equal(slopes[0], slopes[1])


def test_other_floating_types():
    for dtype, tolerance in (("float64", 1e-14), ("float16", 4e-3)):
        x = np.linspace(-5, 5, 9000)
        found = tf.nn.gelu(tf.constant(x, dtype))
        assert found.dtype == dtype
        np.testing.assert_allclose(found, x * special.ndtr(x), rtol=tolerance, atol=tolerance)


def test_programs_keep_one_array_for_the_gradient():
    jax = pytest.importorskip("jax")

    def step(x, w, v):
        hidden = x @ w
        out = gelu.gelu_in_xla(hidden) @ v
        return (out @ v.T * gelu.gelu_slope_in_xla(hidden)) @ w.T

    shapes = [(512, 64), (64, 1024), (1024, 64)]
    lowered = jax.jit(step).lower(*[jax.ShapeDtypeStruct(s, np.float32) for s in shapes])
    memory = lowered.compile().memory_analysis().temp_size_in_bytes
    assert memory < 3.5 * 4 * 512 * 1024  # the input, and two of the steps at a time


def _by_tanh(x):
    """Returns the approximation by `tanh` and its slope, in float64."""
    k = np.sqrt(2 / np.pi)
    t = np.tanh(k * (x + 0.044715 * x**3))
    return x / 2 * (1 + t), (1 + t + x * k * (1 + 3 * 0.044715 * x**2) * (1 - t**2)) / 2


@pytest.mark.parametrize("jit", [False, True])
@pytest.mark.parametrize("count", [7, 20_001, 200_000])
def test_the_approximation_by_tanh(jit, count):
    x = np.linspace(-14, 14, count).astype("f4")
    values, slopes = _by_tanh(x.astype(np.float64))
    given = tf.constant(x)
    tf.config.optimizer.set_jit(jit)
    try:
        for _ in range(3):  # XLA compiles for the third array of a shape
            with tf.GradientTape() as tape:
                tape.watch(given)
                y = tf.nn.gelu(given, approximate=True)
            slope = tape.gradient(y, given)
    finally:
        tf.config.optimizer.set_jit(False)
    np.testing.assert_allclose(y, values, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(slope, slopes, rtol=2e-6, atol=6e-6)  # since 1 - t * t cancels
    assert y.dtype == slope.dtype == tf.float32


def test_the_approximation_by_tanh_is_one_record():
    x = tf.constant([0.5, 1.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        tf.nn.gelu(x, approximate=True)
    assert [record[0].primitive.name for record in tape.records] == ["GeluByTanh"]
