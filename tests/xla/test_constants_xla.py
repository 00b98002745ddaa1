"""Tensors from outside that a compiled function uses."""

import pytest

pytest.importorskip("jax")

import gradtape as tf

pytestmark = pytest.mark.slow


def test_a_constant_that_a_tape_follows_later_has_a_gradient():
    c, x = tf.constant(2.0), tf.constant(3.0)
    f = tf.function(lambda x: x * c * c, jit_compile=True)
    assert float(f(x)) == 12
    with tf.GradientTape() as tape:
        tape.watch(c)
        y = f(x)
    assert float(tape.gradient(y, c)) == 12
    with tf.GradientTape() as outer:
        outer.watch(c)
        with tf.GradientTape() as tape:
            tape.watch(c)
            y = f(x)
        first = tape.gradient(y, c)
    assert float(outer.gradient(first, c)) == 6
