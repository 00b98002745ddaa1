"""SiLU of large arrays on a tape, beside the operation without the sigmoid."""

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.ops.elementwise.exponential import _LARGE
from gradtape._src.ops.nn.activations import silu_p

rng = np.random.default_rng(5)
WEIGHTS = tf.constant(rng.standard_normal(_LARGE))


def derivatives(function, x, weights=WEIGHTS):
    """Returns the result, two gradients, and two of the forward mode."""
    x = tf.constant(x)
    weights = tf.cast(weights, x.dtype)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
            weighted = tf.reduce_sum(y * weights)
        first = tape.gradient(weighted, x)
    with tf.autodiff.ForwardAccumulator(x, weights) as accumulator:
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = function(x)
        along = inner.gradient(y, x)
    tangents = accumulator.jvp(y), accumulator.jvp(along)
    return [v.numpy() for v in (y, first, outer.gradient(first, x), along, *tangents)]


@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float32, 3e-6), (np.float64, 1e-13)])
@pytest.mark.parametrize("order", ["C", "F"])
def test_derivatives_are_those_of_the_operation_alone(dtype, tolerance, order):
    x = np.asarray(4 * rng.standard_normal((128, _LARGE // 128)), dtype, order)
    weights = tf.reshape(WEIGHTS, x.shape)
    assert names(x) == ["SiluAndSigmoid"]
    for a, b in zip(
        derivatives(tf.nn.silu, x, weights), derivatives(silu_p, x, weights), strict=True
    ):
        assert a.dtype == dtype
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)


@pytest.mark.filterwarnings("ignore:invalid value")
def test_special_values():
    points = np.array([0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -1e-42, 1e38, -1e38, 89, -89, -120])
    x = np.resize(points, _LARGE).astype("f4")
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(t := tf.constant(x))
        kept, alone = tf.nn.silu(t), silu_p(t)
    np.testing.assert_array_equal(kept, alone)
    np.testing.assert_allclose(tape.gradient(kept, t), tape.gradient(alone, t), rtol=1e-6)


def names(x):
    with tf.GradientTape() as tape:
        tape.watch(t := tf.constant(x))
        tf.nn.swish(t)
    return [record[0].primitive.name for record in tape.records]


def test_small_arrays_other_dtypes_and_graphs_do_without():
    x = np.zeros(_LARGE, "f4")
    assert names(x[1:]) == names(x.astype("f2")) == names(x.astype("c8")) == ["Silu"]

    @tf.function
    def gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.nn.silu(x)
        return tape.gradient(y, x)

    made = gradient.get_concrete_function(tf.TensorSpec([_LARGE]))
    assert "SiluAndSigmoid" not in {op.type for op in made.graph.get_operations()}
    np.testing.assert_array_equal(gradient(x), 0.5)


def test_rows_of_jacobians():
    x = tf.constant(rng.standard_normal((4, _LARGE // 4)).astype("f4"))

    def row(v):
        with tf.GradientTape() as tape:
            tape.watch(v)
            y = tf.nn.silu(v)
        return tape.gradient(y, v)

    np.testing.assert_allclose(tf.vectorized_map(row, x), row(x), rtol=1e-6, atol=1e-7)


def test_the_gradient_of_a_constant_cotangent_is_new_memory():
    x = tf.constant(rng.standard_normal(_LARGE).astype("f4"))
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.nn.silu(x)
    first = tape.gradient(y, x).numpy()
    assert not np.shares_memory(first, y.numpy())
    np.testing.assert_array_equal(first, tape.gradient(y, x))
