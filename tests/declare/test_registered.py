"""Gradients that a program registers."""

import gradtape as tf


def test_no_gradient():
    run = tf.define_op("NoGradientHere")(lambda x: x * 2)
    tf.no_gradient("NoGradientHere")
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = run(x)
    assert tape.gradient(y, x) is None
