"""From what a program passes to a tensor."""

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.core.convert import convert_to_tensor, register_converter, tensor


def test_a_tensor_is_itself():
    x = tf.constant([1.0])
    assert tensor(x) is x
    assert convert_to_tensor(x) is x
    assert convert_to_tensor(x, tf.float32) is x
    with pytest.raises(ValueError, match="dtype"):
        convert_to_tensor(x, tf.int32)


def test_a_variable_is_read():
    v = tf.Variable(2.0)
    assert tensor(v) == 2.0
    assert isinstance(tensor(v), tf.Tensor)


def test_a_hint_is_taken_where_it_fits():
    assert convert_to_tensor(1, dtype_hint=tf.float64).dtype is tf.float64
    assert convert_to_tensor(1.5, dtype_hint=tf.int32).dtype is tf.float32
    assert convert_to_tensor("a", dtype_hint=tf.int32).dtype is tf.string


def test_types_of_the_users():
    class Metres:
        def __init__(self, value):
            self.value = value

    with pytest.raises(ValueError, match="Metres"):
        tensor(Metres(3.0))
    register_converter(Metres, lambda value, dtype: convert_to_tensor(value.value, dtype))
    assert tensor(Metres(3.0)) == 3.0
    assert convert_to_tensor(Metres(3), tf.float64).dtype is tf.float64


def test_arrays_of_other_libraries():
    class Array:
        def __array__(self, dtype=None, copy=None):
            return np.array([1.0, 2.0], dtype)

    assert tensor(Array()).numpy().tolist() == [1, 2]
