"""Transposed convolutions are the gradients of convolutions by their inputs."""

import numpy as np
import pytest

import gradtape as tf

RNG = np.random.default_rng(0)


@pytest.mark.parametrize(
    ("forward", "backward", "size", "strides"),
    [
        (tf.nn.conv1d, tf.nn.conv1d_transpose, (7,), 2),
        (tf.nn.conv2d, tf.nn.conv2d_transpose, (7, 6), 2),
        (tf.nn.conv3d, tf.nn.conv3d_transpose, (5, 4, 3), [1, 2, 2, 2, 1]),
    ],
)
@pytest.mark.parametrize("padding", ["SAME", "VALID"])
def test_it_is_the_gradient(forward, backward, size, strides, padding):
    x = tf.constant(RNG.normal(size=(2, *size, 3)))
    w = tf.constant(RNG.normal(size=(*[2] * len(size), 3, 4)))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = forward(x, w, strides, padding)
    g = tf.constant(RNG.normal(size=y.shape))
    got = backward(g, w, x.shape.as_list(), strides, padding)
    np.testing.assert_allclose(got, tape.gradient(y, x, output_gradients=g))
    general = tf.nn.conv_transpose(g, w, x.shape.as_list(), strides, padding)
    np.testing.assert_allclose(general, got)


def test_holes_between_the_places_of_a_filter():
    x, w = tf.constant(RNG.normal(size=(1, 6, 6, 2))), tf.constant(RNG.normal(size=(2, 2, 2, 3)))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.atrous_conv2d(x, w, 2, "SAME")
    g = tf.constant(RNG.normal(size=y.shape))
    got = tf.nn.atrous_conv2d_transpose(g, w, [1, 6, 6, 2], 2, "SAME")
    np.testing.assert_allclose(got, tape.gradient(y, x, output_gradients=g))


@pytest.mark.parametrize("shape", [[1, 9, 9, 1], [1, 4, 4, 2], [1, 4, 4]])
def test_shapes_that_no_convolution_has(shape):
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        tf.nn.conv2d_transpose(tf.ones([1, 2, 2, 1]), tf.ones([2, 2, 1, 1]), shape, 2)
