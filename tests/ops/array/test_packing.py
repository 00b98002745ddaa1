"""Lists that hold tensors become tensors, and gradients flow into their elements."""

import numpy as np
import pytest

import gradtape as tf


def gradient(f, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: tf.convert_to_tensor([x[0], 2.0, x[1]]),
        lambda x: tf.reduce_sum([x[0], x[1]]),
        lambda x: tf.constant(1.0) * [x[0], x[1]],
        lambda x: [[x[0]], [x[1]]] + tf.constant(1.0),  # noqa: RUF005  (not a list)
        lambda x: tf.linalg.matvec([[x[0], 0.0], [0.0, x[1]]], [1.0, 1.0]),
        lambda x: tf.cast([x[0], x[1]], tf.float64),
        lambda x: tf.convert_to_tensor((x,)),
    ],
)
def test_gradients_flow_into_the_elements_of_a_list(f):
    for x in (tf.constant([3.0, 4.0]), tf.Variable([3.0, 4.0])):
        np.testing.assert_array_equal(gradient(f, x), [1.0, 1.0])


def test_numbers_take_the_dtype_of_the_tensors_among_them():
    x = tf.constant(3, tf.int64)
    assert tf.convert_to_tensor([1, x, True]).dtype == tf.int64
    assert tf.convert_to_tensor([np.float64(2), tf.constant(1.0)]).dtype == tf.float32
    with pytest.raises(TypeError, match=r"Cannot convert 1\.5"):
        tf.convert_to_tensor([x, 1.5])


def test_tensors_of_two_dtypes_do_not_go_together():
    with pytest.raises(tf.errors.InvalidArgumentError, match="Pack"):
        tf.convert_to_tensor([tf.constant(1.0), tf.constant(2)])


def test_tensors_of_two_shapes_do_not_go_together():
    with pytest.raises(tf.errors.InvalidArgumentError, match="Shapes of all inputs must match"):
        tf.convert_to_tensor([tf.constant([1.0]), tf.constant(2.0)])


def test_a_type_of_the_users_becomes_a_tensor():
    class Celsius:
        def __init__(self, degrees):
            self.degrees = degrees

    def convert(value, dtype=None, name=None, as_ref=False):
        return tf.constant(value.degrees, dtype)

    tf.register_tensor_conversion_function(Celsius, convert)
    assert tf.constant(1.0) + Celsius(2.0) == 3.0
    with pytest.raises(TypeError, match="base_type"):
        tf.register_tensor_conversion_function(3, convert)
    with pytest.raises(TypeError, match="callable"):
        tf.register_tensor_conversion_function(Celsius, 3)
