"""The arguments of raw operations are what their definitions say."""

import numpy as np
import pytest

import gradtape as tf

X = tf.constant([[1.0, 2.0], [3.0, 4.0]])
IMAGE = tf.ones((1, 4, 4, 1))
POOL = {"value": IMAGE, "ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "SAME"}
INVALID = tf.errors.InvalidArgumentError


@pytest.mark.parametrize("value", ["nonsense", b"x", 2, 2.5, [1, 2], tf.float32, tf.constant(2)])
def test_flags_are_booleans(value):
    with pytest.raises(TypeError, match="Expected bool for argument 'exclusive' not"):
        tf.raw_ops.Cumsum(x=X, axis=0, exclusive=value)


@pytest.mark.parametrize("value", [None, "2", b"x", [1, 2], tf.constant([1.0])])
def test_numbers_of_things_are_integers(value):
    with pytest.raises(TypeError, match="Expected int for argument 'num' not"):
        tf.raw_ops.Unpack(value=X, num=value)


@pytest.mark.parametrize("value", [2, 2.5, tf.constant(2), np.int64(2)])
def test_values_that_convert_to_integers(value):
    assert len(tf.raw_ops.Unpack(value=X, num=value)) == 2


@pytest.mark.parametrize("value", ["2", [1.0, 2.0], tf.constant(2.0), np.ones(2)])
def test_factors_are_numbers(value):
    with pytest.raises(TypeError, match="Expected float for argument 'alpha' not"):
        tf.raw_ops.LeakyRelu(features=X, alpha=value)


@pytest.mark.parametrize("value", [None, 2, [1, 2], tf.float32])
def test_words_are_strings(value):
    with pytest.raises(TypeError, match="Expected string for argument 'padding' not"):
        tf.raw_ops.AvgPool(**{**POOL, "padding": value})


@pytest.mark.parametrize("value", ["nonsense", 2, tf.float32, np.array([1, 2, 2, 1])])
def test_lists_are_lists(value):
    with pytest.raises(TypeError, match="Expected list for 'ksize' argument to 'AvgPool' Op, not"):
        tf.raw_ops.AvgPool(**{**POOL, "ksize": value})
    with pytest.raises(TypeError, match="Expected list for 'inputs' argument to 'AddN' Op, not"):
        tf.raw_ops.AddN(inputs=value)


def test_elements_of_lists_have_a_type():
    with pytest.raises(TypeError, match="Expected int for argument 'ksize' not 'a'"):
        tf.raw_ops.AvgPool(**{**POOL, "ksize": [1, "a", 2, 1]})


def test_the_rows_of_a_tensor_are_a_list():
    assert tf.raw_ops.AddN(inputs=X).numpy().tolist() == [4, 6]


def test_none_stands_for_a_default():
    kept = tf.raw_ops.Cumsum(x=X, axis=0, exclusive=None)
    assert kept.numpy().tolist() == [[1, 2], [4, 6]]
    assert tf.raw_ops.LeakyRelu(features=[-1.0], alpha=None).numpy() == pytest.approx(-0.2)


def test_words_that_are_allowed():
    with pytest.raises(INVALID, match="'padding' of nonsense is not in the list of allowed"):
        tf.raw_ops.AvgPool(**{**POOL, "padding": "nonsense"})
    assert tf.raw_ops.AvgPool(**{**POOL, "padding": b"SAME"}).shape == (1, 2, 2, 1)


def test_dtypes_that_are_allowed():
    with pytest.raises(INVALID, match="'T' of int8 is not in the list of allowed values: bfloat16"):
        tf.raw_ops.MatMul(a=tf.ones((2, 2), tf.int8), b=tf.ones((2, 2), tf.int8))
    with pytest.raises(INVALID, match="'output_type' of float32"):
        tf.raw_ops.ArgMax(input=X, dimension=0, output_type=tf.float32)


def test_the_least_length_of_lists():
    with pytest.raises(INVALID, match="'ksize' of 2 must be at least minimum 4"):
        tf.raw_ops.AvgPool(**{**POOL, "ksize": [2, 2]})
    with pytest.raises(INVALID, match="'N' of 0 must be at least minimum 1"):
        tf.raw_ops.AddN(inputs=[])


def test_a_list_that_is_one_tensor_is_converted():
    kept = tf.raw_ops.BitwiseAnd(x=[1, 3], y=[tf.constant(1.0), tf.constant(1.0)])
    assert kept.numpy().tolist() == [1, 1]
