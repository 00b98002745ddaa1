"""Functions that XLA compiles, as programs asked for them before `jit_compile`."""

import numpy as np
import pytest

import gradtape as tf

pytest.importorskip("jax")


def test_a_single_result_is_in_a_list_and_others_keep_their_structure():
    v = tf.Variable(2.0)
    [found] = tf.xla.experimental.compile(lambda x: x * v, [tf.constant(3.0)])
    assert found.numpy() == 6
    pair = tf.xla.experimental.compile(lambda x: (x, {"a": x + 1}), (tf.constant(1.0),))
    assert (pair[0].numpy(), pair[1]["a"].numpy()) == (1, 2)
    with pytest.raises(TypeError, match="inputs must be a list"):
        tf.xla.experimental.compile(lambda x: x, tf.constant(1.0))


def test_within_a_function_with_a_gradient():
    v = tf.Variable(2.0)

    @tf.function
    def run(x):
        with tf.xla.experimental.jit_scope():
            scaled = x * 3
        return tf.xla.experimental.compile(lambda a: a * v, [scaled])[0]

    with tf.GradientTape() as tape:
        y = run(tf.constant(5.0))
    np.testing.assert_allclose((y, tape.gradient(y, v)), (30, 15))


def test_a_scope_needs_a_function():
    with pytest.raises(RuntimeError, match="inside tf"), tf.xla.experimental.jit_scope():
        pass
