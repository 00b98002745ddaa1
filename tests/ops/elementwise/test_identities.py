"""Operations that give back what they are given, and what they do to gradients."""

import pytest

import gradtape as tf


def slope(function):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    g = tape.gradient(y, x)
    return None if g is None else g.numpy().tolist()


def test_identity_is_another_tensor_with_the_gradient_one():
    x = tf.constant([1.0, 2.0])
    assert tf.identity(x) is not x
    assert slope(tf.identity) == [1, 1]
    assert slope(lambda x: tf.identity_n([x, x])[1]) == [1, 1]


def test_a_stopped_gradient_is_none():
    assert slope(tf.stop_gradient) is None
    assert slope(lambda x: x * tf.stop_gradient(x)) == [1, 2]


def test_messages_of_gradients_that_are_prevented():
    with pytest.raises(LookupError, match="not here"):
        slope(lambda x: tf.raw_ops.PreventGradient(input=x, message="not here"))


def test_shapes_are_ensured():
    x = tf.zeros([2, 3])
    assert tf.ensure_shape(x, [None, 3]).shape == (2, 3)
    assert tf.ensure_shape(x, None).shape == (2, 3)
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        tf.ensure_shape(x, [2, 4])
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        tf.ensure_shape(x, [2])


def test_numerics_are_checked():
    assert slope(lambda x: tf.debugging.check_numerics(x, "here")) == [1, 1]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"here.*NaN"):
        tf.debugging.check_numerics([1.0, float("nan")], "here")
    with pytest.raises(tf.errors.InvalidArgumentError, match="Inf"):
        tf.debugging.check_numerics([float("inf")], "here")
