"""Normalization as one operation: where it is used, and its derivatives of all orders."""

import numpy as np
import pytest

import gradtape as tf

rng = np.random.default_rng(0)


def layer(x, scale, offset):
    mean, variance = tf.nn.moments(x, [-1], keepdims=True)
    return tf.nn.batch_normalization(x, mean, variance, offset, scale, 1e-3)


def composed(x, scale, offset):
    """Computes a layer by elementary operations, with a mean through which no gradient flows."""
    mean = tf.reduce_mean(x, -1, keepdims=True)
    variance = tf.reduce_mean((x - tf.stop_gradient(mean)) ** 2, -1, keepdims=True)
    return (x - mean) * tf.math.rsqrt(variance + 1e-3) * scale + offset


def _loss(of, arguments):
    y = of(*arguments)
    return tf.reduce_sum(tf.sin(y) * y)


def _first(of, arguments):
    with tf.GradientTape() as tape:
        tape.watch(arguments)
        loss = _loss(of, arguments)
    return tape.gradient(loss, arguments)


def _second(of, arguments):
    with tf.GradientTape() as tape:
        tape.watch(arguments)
        total = tf.add_n([tf.reduce_sum(tf.cos(g)) for g in _first(of, arguments)])
    return tape.gradient(total, arguments)


def _forward(of, arguments):
    tangents = [tf.cos(x) for x in arguments]
    with tf.autodiff.ForwardAccumulator(arguments, tangents) as accumulator:
        gradients = _first(of, arguments)
    return [accumulator.jvp(g) for g in gradients]


def _rows(of, arguments):
    return tf.vectorized_map(lambda x: _first(of, [x, *arguments[1:]]), arguments[0])


def _jacobian(of, arguments):
    with tf.GradientTape() as tape:
        tape.watch(arguments)
        y = tf.reduce_sum(of(*arguments), 1)
    return tape.jacobian(y, arguments)


def _in_a_function(of, arguments):
    return tf.function(lambda: _second(of, arguments))()


@pytest.mark.parametrize("shape", [(3, 5), (80, 60)])
@pytest.mark.parametrize("derivative", [_first, _second, _forward, _rows, _in_a_function])
def test_derivatives_are_those_of_the_elementary_operations(derivative, shape):
    arrays = rng.standard_normal(shape), *rng.standard_normal((2, shape[1]))
    arguments = [tf.constant(a) for a in arrays]
    for a, b in zip(derivative(layer, arguments), derivative(composed, arguments), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-7, atol=1e-9)


def test_jacobians_are_those_of_the_elementary_operations():
    arguments = [
        tf.constant(a) for a in (rng.standard_normal((3, 4)), *rng.standard_normal((2, 4)))
    ]
    for a, b in zip(_jacobian(layer, arguments), _jacobian(composed, arguments), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-7, atol=1e-9)


def test_a_tape_has_two_records_for_a_layer():
    x = tf.constant(rng.standard_normal((3, 4)))
    with tf.GradientTape() as tape:
        tape.watch(x)
        layer(x, x[0], x[1])
    names = [record[0].primitive.name for record in tape.records]
    assert names[-2:] == ["Moments", "Normalization"]


def test_graphs_have_the_elementary_operations():
    made = tf.function(layer).get_concrete_function(*[tf.TensorSpec(s) for s in ([3, 4], [4], [4])])
    types = {op.type for op in made.graph.get_operations()}
    assert not types & {"Moments", "Normalization"}


@pytest.mark.parametrize("dtype", [np.float16, np.complex64])
def test_other_dtypes_are_computed_by_elementary_operations(dtype):
    x = tf.constant(rng.standard_normal((3, 4)).astype(dtype))
    y = layer(x, tf.ones(4, x.dtype), tf.zeros(4, x.dtype))
    np.testing.assert_allclose(y, composed(x, 1.0, 0.0), rtol=1e-2, atol=1e-2)


def test_a_tensor_of_epsilon_has_a_gradient():
    x, epsilon = tf.constant([1.0, 3.0]), tf.constant(0.5)
    with tf.GradientTape() as tape:
        tape.watch(epsilon)
        y = tf.nn.batch_normalization(x, 1.0, 0.5, None, None, epsilon)
    np.testing.assert_allclose(tape.gradient(y, epsilon), -1.0)
