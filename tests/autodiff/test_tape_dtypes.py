"""Gradients of values without a derivative, and the dtypes of gradients."""

import numpy as np
import pytest

import gradtape as tf

WHOLE = [1, True, np.uint8(1), [1, 2]]


@pytest.mark.parametrize("value", [*WHOLE, "a", ["a", "b"]])
def test_jacobian_of_what_has_no_derivative_is_none(value):
    x = tf.constant(value)
    with tf.GradientTape(persistent=True) as tape:
        y = tf.identity(x)
    assert tape.jacobian(x, x) is None
    assert tape.jacobian(y, x) is None


@pytest.mark.parametrize("value", ["a", ["a", "b"], ["a"] * 2000])
@pytest.mark.parametrize("make", [tf.constant, tf.Variable])
def test_strings_have_no_gradient(value, make):
    x, other = make(value), tf.constant(1.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(other)
        y = other * other
    assert tape.gradient(x, x) is None
    assert tape.gradient([x, y], x) is None
    assert tape.gradient([x, y], other) == 2
    zeros = tape.gradient(y, x, unconnected_gradients="zero")
    assert zeros.dtype is tf.string
    assert (zeros.numpy() == np.full(x.shape, b"", object)).all()


@pytest.mark.parametrize("value", WHOLE)
def test_integers_have_the_gradient_one_by_themselves_alone(value):
    x = tf.constant(value)
    with tf.GradientTape(persistent=True) as tape:
        y = tf.identity(x)
    assert tape.gradient(x, x).dtype is x.dtype
    assert tape.gradient(y, x) is None


@pytest.mark.parametrize("by_example", [False, True])
@pytest.mark.parametrize(
    ("call", "shape"),
    [
        (lambda x: tf.image.resize(x, [3, 3]), (1, 2, 2, 1)),
        (lambda x: tf.matmul(tf.cast(x, tf.float32), tf.ones((2, 5))), (2, 2)),
        (lambda x: tf.tile(tf.cast(x, tf.float16), [1, 3]), (2, 2)),
    ],
)
def test_jacobians_have_the_dtype_of_the_source(call, shape, by_example):
    x = tf.ones(shape, tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = call(x)
    found = tape.batch_jacobian(y, x) if by_example else tape.jacobian(y, x)
    assert found.dtype == tf.float64
