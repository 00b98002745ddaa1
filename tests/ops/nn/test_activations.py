"""Activations: their values and slopes at and around their bends."""

import numpy as np
import pytest

import gradtape as tf

X = np.array([-3.0, -1.0, -0.0, 0.5, 2.0, 7.0])


@pytest.mark.parametrize(
    ("function", "want"),
    [
        (tf.nn.relu, np.maximum(X, 0)),
        (tf.nn.relu6, np.clip(X, 0, 6)),
        (tf.nn.elu, np.where(X > 0, X, np.expm1(X))),
        (tf.nn.leaky_relu, np.where(X > 0, X, 0.2 * X)),
        (tf.nn.softplus, np.log1p(np.exp(X))),
        (tf.nn.softsign, X / (1 + abs(X))),
        (tf.nn.silu, X / (1 + np.exp(-X))),
        (lambda x: tf.nn.swish(x, 2.0), X / (1 + np.exp(-2 * X))),
        (
            lambda x: tf.nn.gelu(x, approximate=True),
            0.5 * X * (1 + np.tanh(np.sqrt(2 / np.pi) * (X + 0.044715 * X**3))),
        ),
        (tf.nn.crelu, np.concatenate([np.maximum(X, 0), np.maximum(-X, 0)])),
    ],
)
def test_values(function, want):
    np.testing.assert_allclose(function(X), want, atol=1e-12)


def slope(function, x):
    x = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x).numpy().tolist()


def test_slopes_at_the_bends():
    assert slope(tf.nn.relu, [-1.0, 0.0, 1.0]) == [0, 0, 1]
    assert slope(tf.nn.relu6, [0.0, 3.0, 6.0]) == [0, 1, 0]
    assert slope(tf.nn.leaky_relu, [-1.0, 1.0]) == pytest.approx([0.2, 1])
    assert slope(tf.nn.softplus, [-1000.0, 1000.0]) == [0, 1]


def test_large_arguments_do_not_overflow():
    assert tf.nn.softplus([1000.0, -1000.0]).numpy().tolist() == [1000, 0]
    assert tf.nn.selu([-1e4]).numpy() == pytest.approx(-1.7580993)


def test_integers_have_no_curve():
    assert tf.nn.relu([-1, 2]).numpy().tolist() == [0, 2]
    with pytest.raises((TypeError, tf.errors.InvalidArgumentError)):
        tf.nn.softplus([1, 2])
