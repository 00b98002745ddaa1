"""Conversions between dtypes, of values and of bits."""

import numpy as np
import pytest

import gradtape as tf


@pytest.mark.parametrize(
    ("value", "dtype", "result"),
    [
        ([1.9, -1.9], tf.int32, [1, -1]),
        ([0, 3], tf.bool, [False, True]),
        ([True, False], tf.float32, [1.0, 0.0]),
        ([300], tf.uint8, [44]),
        ([1 + 2j], tf.float64, [1.0]),
        ([2.5], tf.complex64, [2.5 + 0j]),
    ],
)
def test_values(value, dtype, result):
    got = tf.cast(value, dtype)
    assert got.dtype is dtype
    assert got.numpy().tolist() == result


def test_a_cast_to_the_same_dtype_is_the_tensor_itself():
    x = tf.constant([1.0])
    assert tf.cast(x, tf.float32) is x


def test_composite_tensors_keep_their_structure():
    ragged = tf.cast(tf.ragged.constant([[1], [2, 3]]), tf.float32)
    assert ragged.to_list() == [[1.0], [2.0, 3.0]]
    sparse = tf.cast(tf.SparseTensor([[0]], [1], [2]), tf.float64)
    assert sparse.dtype is tf.float64


def test_strings_are_no_numbers():
    with pytest.raises((tf.errors.UnimplementedError, TypeError, ValueError)):
        tf.cast("1", tf.int32)
    with pytest.raises((tf.errors.UnimplementedError, TypeError, ValueError)):
        tf.cast(1, tf.string)


def test_bits():
    assert tf.bitcast(tf.constant(1.0), tf.int32) == 0x3F800000
    halves = tf.bitcast(tf.constant([0x00020001], tf.uint32), tf.uint16)
    assert halves.numpy().tolist() == [[1, 2]]
    assert tf.bitcast(halves, tf.uint32).numpy().tolist() == [0x00020001]
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        tf.bitcast(tf.constant([1, 2, 3], tf.uint8), tf.uint16)


def test_the_gradient_has_the_dtype_of_the_source():
    x = tf.constant(np.float64(2.0))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.cast(x, tf.float32) * 3.0
    assert tape.gradient(y, x).dtype is tf.float64
