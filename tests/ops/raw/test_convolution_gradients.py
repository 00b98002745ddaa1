"""Gradients of convolutions as functions of their own."""

import numpy as np
import pytest

import gradtape as tf

X = tf.constant(np.random.default_rng(0).normal(size=(2, 5, 5, 3)), tf.float32)
W = tf.constant(np.random.default_rng(1).normal(size=(2, 2, 3, 2)), tf.float32)


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize("depthwise", [False, True])
def test_they_are_what_a_tape_computes(padding, depthwise):
    function = tf.nn.depthwise_conv2d if depthwise else tf.nn.conv2d
    with tf.GradientTape() as tape:
        tape.watch([X, W])
        out = function(X, W, [1, 1, 1, 1], padding)
    g = tf.cos(tf.range(tf.size(out), dtype=tf.float32))
    g = tf.reshape(g, out.shape)
    by_tape = tape.gradient(out, [X, W], g)
    rest = (g, [1, 1, 1, 1], padding)
    if depthwise:
        found = [
            tf.nn.depthwise_conv2d_backprop_input(X.shape, W, *rest),
            tf.nn.depthwise_conv2d_backprop_filter(X, W.shape, *rest),
        ]
    else:
        found = [
            tf.conv2d_backprop_input_v2(X, W, *rest),
            tf.conv2d_backprop_filter_v2(X, W, *rest),
        ]
    for one, other in zip(found, by_tape, strict=True):
        np.testing.assert_allclose(one.numpy(), other.numpy(), rtol=1e-5, atol=1e-5)
