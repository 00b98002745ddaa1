"""Special functions at their poles and zeros, as TensorFlow has them, or right where it has NaN."""

import numpy as np
import pytest

import gradtape as tf

INF, NAN = np.inf, np.nan


def orders(function, x):
    """The value, the gradient and the second derivative."""
    x = tf.constant(x, "float64")
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        g = tape.gradient(y, x)
    return [np.round(v, 4).tolist() for v in (y, g, outer.gradient(g, x))]


@pytest.mark.parametrize(
    ("function", "points", "expected"),
    [
        (tf.math.digamma, [0.0, -2.0, INF], ([NAN, NAN, INF], [INF, INF, 0], [NAN, NAN, 0])),
        (
            tf.math.lgamma,
            [0.0, -1.0, INF, -INF],
            ([INF] * 4, [NAN, NAN, INF, NAN], [INF, INF, 0, INF]),
        ),
        (lambda x: tf.math.xlogy(x, x), [0.0, 1.0, -1.0], ([0, 0, NAN], [0, 1, NAN], [0, 1, -1])),
        (
            lambda x: tf.math.xlog1py(x, x),
            [0.0, -1.0, -2.0],
            ([0, INF, NAN], [0, -INF, NAN], [0, INF, 0]),
        ),
        (lambda x: tf.math.xdivy(x, x), [0.0, -1.0], ([0, 1], [0, 0], [0, 0])),
        # TensorFlow's second derivatives are NaN here.
        (tf.math.special.bessel_j1, [0.0], ([0], [0.5], [0])),
        (tf.math.bessel_i1, [0.0], ([0], [0.5], [0])),
        (tf.math.special.spence, [1.0], ([0], [-1], [0.5])),
    ],
)
def test_special_points(function, points, expected):
    np.testing.assert_array_equal(orders(function, points), list(expected))


def test_xlogy_is_linear_in_its_first_argument():
    x, y = tf.constant(2.0), tf.constant(-2.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            z = tf.math.xlogy(x, y)
        g = tape.gradient(z, x)
    assert outer.gradient(g, x) is None


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_complex_sigmoids_end_at_zero_and_one(dtype):
    z = tf.constant([-800 - 1600j, -800 + 3j, -90 - 180j, 800 + 3j, 800 - 1j, 1 + 2j], dtype)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(z)
        s, y = tf.sigmoid(z), tf.nn.silu(z)
    want = np.array([0, 0, 0, 1, 1, 1 / (1 + np.exp(-1 - 2j))])
    np.testing.assert_allclose(s, want, rtol=1e-5, atol=1e-30)
    np.testing.assert_allclose(y, want * z.numpy(), rtol=1e-5, atol=1e-30)
    slope = want * (1 - want)
    np.testing.assert_allclose(tape.gradient(s, z), slope.conj(), rtol=1e-5, atol=1e-30)
    slope = want + z.numpy() * slope
    np.testing.assert_allclose(tape.gradient(y, z), slope.conj(), rtol=1e-5, atol=1e-30)
