"""The conversion of values to tensors."""

import array
import sys
from collections import deque

import numpy as np
import pytest

import gradtape as tf

BIG = 2**31


@pytest.mark.parametrize(
    ("make", "dtype", "value"),
    [
        (lambda: tf.convert_to_tensor(tf.TensorShape([BIG])), tf.int64, [BIG]),
        (lambda: tf.convert_to_tensor(tf.TensorShape([BIG - 1])), tf.int32, [BIG - 1]),
        (lambda: tf.convert_to_tensor(tf.TensorShape([2]), tf.int64), tf.int64, [2]),
        (lambda: tf.constant(tf.TensorShape([BIG, 1])), tf.int64, [BIG, 1]),
        (lambda: tf.constant(tf.TensorShape([2]), tf.float32), tf.float32, [2.0]),
        (lambda: tf.constant([tf.TensorShape([2]), tf.TensorShape([3])]), tf.int32, [[2], [3]]),
        (lambda: tf.stack([2, BIG]), tf.int64, [2, BIG]),
        (lambda: tf.stack([[2], [BIG]], axis=1), tf.int64, [[2, BIG]]),
        (lambda: tf.stack([2, np.float64(1.5)]), tf.float32, [2, 1.5]),
        (lambda: tf.constant(2**64 - 1, tf.uint64), tf.uint64, 2**64 - 1),
        pytest.param(
            *(lambda: tf.shape(tf.zeros([0, BIG]), tf.int64), tf.int64, [0, BIG]),
            marks=pytest.mark.skipif(sys.maxsize < BIG, reason="a dimension has 31 bits here"),
        ),
    ],
)
def test_integers_that_need_64_bits(make, dtype, value):
    made = make()
    assert made.dtype is dtype
    assert made.numpy().tolist() == value


@pytest.mark.parametrize(
    ("run", "error"),
    [
        (lambda: tf.convert_to_tensor(tf.TensorShape([BIG]), tf.int32), ValueError),
        (lambda: tf.convert_to_tensor(tf.TensorShape([2]), tf.float32), TypeError),
        (lambda: tf.convert_to_tensor(tf.TensorShape([2]), tf.uint8), TypeError),
        (lambda: tf.convert_to_tensor(tf.TensorShape([None])), ValueError),
        (lambda: tf.convert_to_tensor(tf.TensorShape(None)), ValueError),
        (lambda: tf.shape(tf.zeros([0, BIG])), tf.errors.InvalidArgumentError),
    ],
)
def test_what_does_not_fit(run, error):
    with pytest.raises(error):
        run()


def test_meshgrid_refuses_unknown_arguments():
    with pytest.raises(TypeError):
        tf.meshgrid([1], [2], sparse=True)


@pytest.mark.parametrize(
    ("value", "expected", "dtype"),
    [
        (bytearray(b"ab"), [97, 98], "int32"),
        (memoryview(b"ab"), [97, 98], "int32"),
        (array.array("d", [1, 2]), [1, 2], "float32"),
        (array.array("q", [1, 2]), [1, 2], "int32"),
        (deque([1, 2]), [1, 2], "int32"),
        ([bytearray(b"ab"), array.array("b", [1, 2])], [[97, 98], [1, 2]], "int32"),
        ([array.array("f", [1, 2]), [1.5, 2]], [[1, 2], [1.5, 2]], "float32"),
        (bytearray(), [], "float32"),
    ],
)
def test_buffers_are_read_number_by_number(value, expected, dtype):
    x = tf.constant(value)
    assert x.dtype == dtype
    np.testing.assert_array_equal(x, np.array(expected, dtype))


def test_buffers_are_no_strings():
    with pytest.raises(TypeError):
        tf.constant(bytearray(b"ab"), tf.string)


def test_sequence_mask_of_floats():
    mask = tf.sequence_mask([1.5, 2.0], 2.5)
    np.testing.assert_array_equal(mask, [[True, True, False], [True, True, False]])
    with pytest.raises(ValueError, match="scalar"):
        tf.sequence_mask([1, 2], [3])


def test_composite_tensors_have_no_static_value():
    ragged, sparse = tf.ragged.constant([[1], [2, 3]]), tf.sparse.from_dense([1, 0])
    slices = tf.IndexedSlices(tf.constant([1.0]), tf.constant([0]))
    assert [tf.get_static_value(x) for x in (ragged, sparse, slices)] == [None] * 3
    assert tf.get_static_value([1]) == [1]


def test_ends_of_a_line_have_one_dtype():
    with pytest.raises(ValueError, match="requested dtype int32"):
        tf.linspace(1, tf.constant(-0.5), 2)
