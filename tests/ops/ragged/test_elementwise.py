"""Gradients through elementwise functions of ragged tensors are those of their values."""

import numpy as np
import pytest

import gradtape as tf

SPLITS = (0, 2, 2, 3)
UNARY = tuple(
    """
    abs acos asin asinh atan atanh cos cosh digamma erf erfc exp expm1 lgamma log log1p
    log_sigmoid negative reciprocal rsqrt sigmoid sin sinh softplus sqrt square tan tanh
    """.split()  # noqa: SIM905
)
BINARY = tuple(
    """
    add atan2 divide divide_no_nan floordiv floormod maximum minimum multiply multiply_no_nan
    pow squared_difference subtract truediv xdivy xlogy
    """.split()  # noqa: SIM905
)
ACTIVATIONS = ("elu", "gelu", "leaky_relu", "relu", "relu6", "selu", "silu", "softsign")


def rows(values):
    return tf.RaggedTensor.from_row_splits(values, SPLITS)


def gradients(function, *xs):
    """Gradients with respect to the values of ragged tensors, and to the values as a tensor."""
    with tf.GradientTape(persistent=True) as tape:
        ragged = function(*[rows(x) for x in xs])
        plain = function(*xs)
    np.testing.assert_array_equal(ragged.row_splits, SPLITS)
    np.testing.assert_array_equal(ragged.flat_values, plain)
    return [tape.gradient(y, xs) for y in (ragged.flat_values, plain)]


@pytest.mark.parametrize("name", [*(f"math.{n}" for n in UNARY), *(f"nn.{n}" for n in ACTIVATIONS)])
def test_unary(name):
    room, own = name.split(".")
    ours, theirs = gradients(getattr(getattr(tf, room), own), tf.Variable([0.25, 0.5, 0.75]))
    np.testing.assert_array_equal(ours[0], theirs[0])


@pytest.mark.parametrize("name", BINARY)
def test_binary(name):
    x, y = tf.Variable([0.25, 0.5, 0.75]), tf.Variable([1.5, 2.0, 0.5])
    for ours, theirs in zip(*gradients(getattr(tf.math, name), x, y), strict=True):
        if ours is not None or theirs is not None:
            np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("name", ["add", "divide", "maximum", "multiply", "pow"])
def test_a_column_beside_rows_gets_the_sum_over_each_row(name):
    function = getattr(tf.math, name)
    x, column = tf.Variable([0.25, 0.5, 0.75]), tf.Variable([[1.5], [7.0], [2.0]])
    spread = tf.Variable([1.5, 1.5, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        ragged = function(rows(x), column).flat_values
        plain = function(x, spread)
    np.testing.assert_array_equal(tape.gradient(ragged, x), tape.gradient(plain, x))
    a, b, c = tape.gradient(plain, spread).numpy()
    got = tf.convert_to_tensor(tape.gradient(ragged, column))
    np.testing.assert_allclose(got, [[a + b], [0.0], [c]], rtol=1e-6)


def test_second_derivatives_and_forward_mode():
    x = tf.Variable([0.25, 0.5, 0.75])
    with tf.GradientTape() as outer:
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.exp(rows(x) * 2.0))
        first = tape.gradient(y, x)
    np.testing.assert_allclose(outer.gradient(first, x), 4 * np.exp(2 * x.numpy()), rtol=1e-6)
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as forward:
        y = tf.sin(rows(x)).flat_values
    np.testing.assert_allclose(forward.jvp(y), np.cos(x.numpy()), rtol=1e-6)


def test_in_functions_and_programs_for_xla():
    def total(x):
        return tf.reduce_sum(tf.exp(tf.multiply(rows(x), 2.0)), axis=1)

    x = tf.constant([0.25, 0.5, 0.75])
    np.testing.assert_allclose(tf.function(total)(x), total(x), rtol=1e-6)
