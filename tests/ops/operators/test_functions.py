"""`tf.__operators__`: what TensorFlow 2.21 returns."""

import numpy as np
import pytest

import gradtape as tf

OPERATORS = tf.__operators__


def test_functions_are_the_operators_of_tensors():
    x = tf.constant([1, 2])
    np.testing.assert_array_equal(OPERATORS.add(x, 3), [4, 5])
    np.testing.assert_array_equal(OPERATORS.eq(x, [1, 3]), [True, False])
    np.testing.assert_array_equal(OPERATORS.ne(x, [1, 3]), [False, True])
    assert OPERATORS.eq(x, None) is False
    assert OPERATORS.ne(x, None) is True
    assert not OPERATORS.eq(x, tf.constant([1, 2, 3]))
    assert OPERATORS.add(tf.constant("a"), "b").numpy() == b"ab"


def test_items_of_tensors_variables_and_ragged_tensors():
    np.testing.assert_array_equal(OPERATORS.getitem(tf.constant([1, 2, 3]), slice(1, None)), [2, 3])
    assert OPERATORS.getitem(tf.Variable([1, 2]), 0) == 1
    assert OPERATORS.getitem([1, 2], 1) == 2
    ragged = tf.ragged.constant([[1], [2, 3]])
    np.testing.assert_array_equal(OPERATORS.ragged_getitem(ragged, 1), [2, 3])
    with pytest.raises(TypeError, match="expects a ragged_tensor"):
        OPERATORS.ragged_getitem(tf.constant([1]), 0)


def test_gradients_flow_through_the_functions():
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = OPERATORS.add(x, 1.0) * OPERATORS.getitem(x, 1)
    np.testing.assert_allclose(tape.gradient(y, x), [2.0, 7.0])
