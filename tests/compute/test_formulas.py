"""Kernels for large arrays against float64, and against what small arrays get."""

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.compute import formulas

f4 = np.float32
RNG = np.random.default_rng(0)
X = np.concatenate(
    [
        RNG.normal(size=60_000) * 4,
        np.linspace(-80, 85, 20_001),
        np.geomspace(1e-37, 1, 10_001),
        -np.geomspace(1e-37, 1, 10_001),
    ]
).astype(f4)
EDGES = np.array([np.inf, -np.inf, np.nan, 0, -0.0, 1e-45, 89, -89, -104, 3e38, -3e38], f4)
WIDE = X.astype(np.float64)
BELOW = np.minimum(WIDE, 0)
FUNCTIONS = {
    "softplus": (tf.nn.softplus, np.maximum(WIDE, 0) + np.log1p(np.exp(-abs(WIDE)))),
    "log_sigmoid": (tf.math.log_sigmoid, -np.maximum(-WIDE, 0) - np.log1p(np.exp(-abs(WIDE)))),
    "expm1": (tf.math.expm1, np.expm1(WIDE)),
    "elu": (tf.nn.elu, np.where(WIDE < 0, np.expm1(BELOW), WIDE)),
    "selu": (
        tf.nn.selu,
        1.0507009873554805 * np.where(WIDE < 0, 1.6732632423543772 * np.expm1(BELOW), WIDE),
    ),
    "silu": (tf.nn.silu, WIDE / (1 + np.exp(-WIDE))),
    "sigmoid": (tf.sigmoid, 1 / (1 + np.exp(-WIDE))),
    "tanh": (tf.tanh, np.tanh(WIDE)),
    "relu6": (tf.nn.relu6, np.clip(WIDE, 0, 6)),
    "leaky_relu": (lambda x: tf.nn.leaky_relu(x, 0.25), np.where(WIDE > 0, WIDE, WIDE * 0.25)),
}


@pytest.fixture(params=[True, False], ids=["vectorized", "plain"])
def processor(request, monkeypatch):
    """A processor for which NumPy has vector code of logarithms and exponentials, or has not."""
    monkeypatch.setattr(formulas, "vectorized", lambda name, by=(): request.param)


@pytest.mark.usefixtures("processor")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_accuracy_and_edges(name):
    function, expected = FUNCTIONS[name]
    error = np.abs(function(X).numpy() - expected) / np.spacing(np.abs(expected.astype(f4)))
    assert error.max() < 4.5, X[error.argmax()]
    assert error.mean() < 0.6

    def value_and_gradients(x):
        x = tf.constant(x)
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = function(x)
            g = tape.gradient(y, x)
        return y, g, outer.gradient(g, x)

    large = value_and_gradients(np.tile(EDGES, 2000))
    for a, b in zip(large, value_and_gradients(EDGES), strict=True):
        assert (a is None) == (b is None)
        if a is not None:
            np.testing.assert_allclose(a[: len(EDGES)], b, rtol=1e-6, atol=2e-45)


@pytest.mark.usefixtures("processor")
@pytest.mark.parametrize("scale", [1, 8, 40])
def test_log_softmax_and_its_gradient(scale):
    x = (scale * RNG.standard_normal((400, 300))).astype(f4)
    x[0, :3] = -np.inf
    wide = x.astype(np.float64)
    shifted = wide - wide.max(-1, keepdims=True)
    expected = shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))
    with tf.GradientTape() as tape:
        tape.watch(t := tf.constant(x))
        y = tf.nn.log_softmax(t)
        first = y[:, 0]
    np.testing.assert_allclose(y, expected, rtol=3e-7, atol=5e-7)
    with np.errstate(invalid="ignore"):
        # The result is rounded, and the exponential of it differs by as much, relative to it.
        bound = 3 * np.finfo(f4).eps * np.where(np.isinf(expected), 1, 1 + abs(expected))
    g = -tape.gradient(first, t).numpy()[:, 1:]
    shares = np.exp(expected)[:, 1:]
    assert np.all(abs(g - shares) <= bound[:, 1:] * shares + 2e-38)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("shape", "axis"),
    [
        ((70_001,), None),
        ((3000, 10), 1),
        ((3000, 10), 0),
        ((70_000, 2), 0),
        ((5, 4099), -1),  # a prime
        ((9, 3000), 1),
        ((40, 5, 30), (1, 2)),
        ((40, 5, 30), (0, 1)),
        ((40, 5, 30), (0, 2)),
        ((40, 5, 30), 1),
        ((40, 900), 0),
        ((8, 0, 9000), 2),
    ],
)
@pytest.mark.parametrize("keepdims", [False, True])
def test_reductions(shape, axis, dtype, keepdims):
    x = RNG.normal(size=shape).astype(dtype)
    exact = x.astype(np.longdouble)
    bound = 8 * np.finfo(dtype).eps * np.abs(exact).sum(axis, keepdims=keepdims)
    for given, other in ((x, exact), (x[::-1], exact[::-1]), (x.T.copy().T, exact)):
        out = tf.reduce_sum(given, axis, keepdims)
        assert out.shape == other.sum(axis, keepdims=keepdims).shape
        assert out.dtype == dtype
        assert np.all(np.abs(out - other.sum(axis, keepdims=keepdims)) <= bound)
    if x.size:
        top = tf.reduce_max(x, axis, keepdims)
        np.testing.assert_array_equal(top, x.max(axis, keepdims=keepdims))


def test_the_gradient_of_a_maximum_is_shared_by_ties():
    x = np.tile(np.array([[1, 2, 2], [3, 1, 0], [np.nan, 1, 2]], f4), (3000, 1))
    v = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(v)
        y = tf.reduce_max(v, -1)
    expected = [[0, 0.5, 0.5], [1, 0, 0], [np.nan] * 3]
    np.testing.assert_array_equal(tape.gradient(y, v)[:3], expected)


@pytest.mark.parametrize("function", [tf.exp, tf.tanh, tf.nn.relu, tf.sin, tf.identity, tf.square])
@pytest.mark.parametrize("seed", [None, 2.0])
def test_gradients_get_memory_of_their_own(function, seed):
    x = tf.constant(RNG.normal(size=20_000).astype(f4))
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = function(x)
        z = tf.reduce_sum(y) if seed is None else y
    before = y.numpy().copy(), x.numpy().copy()
    dy = None if seed is None else tf.fill(x.shape, seed)
    first = tape.gradient(z, x, dy).numpy().copy()
    np.testing.assert_array_equal(tape.gradient(z, x, dy), first)
    np.testing.assert_array_equal(y, before[0])
    np.testing.assert_array_equal(x, before[1])
    if dy is not None:
        assert np.all(dy == seed)


def test_vector_code_of_unknown_functions():
    assert formulas.vectorized("nonsense") is False


@pytest.mark.parametrize("scale", [1.0, 100.0])
def test_softmax_with_and_without_a_shift(scale):
    x = (RNG.normal(size=(70, 1000)) * scale).astype(f4)
    wide = np.exp(x.astype(np.float64) - x.max(-1, keepdims=True))
    wide /= wide.sum(-1, keepdims=True)
    np.testing.assert_allclose(tf.nn.softmax(x), wide, rtol=3e-6, atol=1e-38)
    x[3, 5], x[4, 6] = np.inf, np.nan
    out = tf.nn.softmax(x).numpy()
    assert np.isnan(out).any(-1).nonzero()[0].tolist() == [3, 4]


def test_functions_of_arrays_compute_the_same():
    x = np.arange(6.0).reshape(2, 3)
    joined, chosen = formulas.of_arrays(np.concatenate), formulas.of_arrays(np.where)
    np.testing.assert_array_equal(joined((x, x), 0), np.concatenate((x, x), 0))
    np.testing.assert_array_equal(chosen(x > 2, x, -x), np.where(x > 2, x, -x))
    assert formulas.of_arrays(len) is len
