"""Forward mode."""

import pytest
from tolerances import close

import gradtape as tf


def test_forward_mode_refuses_a_primal_given_twice():
    x = tf.constant([1.0, 2.0])
    with pytest.raises(ValueError, match="multiple times"):
        tf.autodiff.ForwardAccumulator([x, x], [x, x])


def test_forward_mode_says_that_a_tangent_has_another_shape():
    x = tf.constant([1.0, 2.0, 3.0])
    with (
        pytest.raises(ValueError, match="a tangent of shape"),
        tf.autodiff.ForwardAccumulator(x, tf.ones(2)),
    ):
        x * x


def test_forward_over_reverse_through_a_lookup():
    table = tf.Variable([[0.5, 0.2], [0.7, 1.0], [0.3, 0.4]])
    with tf.autodiff.ForwardAccumulator(table, tf.ones([3, 2])) as acc:
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.nn.embedding_lookup(table, [0, 2, 0]) ** 3)
        g = tape.gradient(y, table)
    hvp = acc.jvp(g)
    assert isinstance(hvp, tf.IndexedSlices)
    close(tf.convert_to_tensor(hvp), [[6, 2.4], [0, 0], [1.8, 2.4]])
