"""Tensors as bytes; values are TensorFlow's."""

import numpy as np
import pytest

import gradtape as tf


def test_serialized_tensors():
    matrix = b'\x08\x03\x12\x08\x12\x02\x08\x02\x12\x02\x08\x01"\x08\x01\0\0\0\x02\0\0\0'
    assert tf.io.serialize_tensor([[1], [2]]).numpy() == matrix
    words = b"\x08\x07\x12\x04\x12\x02\x08\x02B\x01aB\x02bc"
    assert tf.io.serialize_tensor(["a", "bc"]).numpy() == words
    for value in ([[1, 2]], ["a", b"\xff"], 1.5, [True], 1 + 2j, np.zeros((0, 3)), "x"):
        tensor = tf.constant(value)
        again = tf.io.parse_tensor(tf.io.serialize_tensor(tensor), tensor.dtype)
        assert repr(again) == repr(tensor)
    half = tf.constant([1.5], tf.bfloat16)
    assert float(tf.io.parse_tensor(tf.io.serialize_tensor(half), tf.bfloat16)[0]) == 1.5
    one_for_all = b"\x08\x01\x12\x08\x12\x02\x08\x02\x12\x02\x08\x02\x2a\x04\0\0\x80?"
    assert tf.io.parse_tensor(one_for_all, tf.float32).numpy().tolist() == [[1, 1], [1, 1]]
    for wrong in (b"zz", matrix[:-1], b"", b"\x08\x01\x12\x09\x12\x07\x08" + b"\xff" * 5 + b"\x0f"):
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.io.parse_tensor(wrong, tf.float32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Type mismatch"):
        tf.io.parse_tensor(matrix, tf.float32)


def test_strings_in_the_contents_of_a_message():
    start = b"\x08\x07\x12\x04\x12\x02\x08\x02"
    found = tf.io.parse_tensor(start + b'"\x06\x01\x03abcd', tf.string)
    assert found.numpy().tolist() == [b"a", b"bcd"]
    for wrong in (b'"\x05\x01\x03abc', b'"\x01\x01', b'"\x07\x01\x03abcde'):
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.io.parse_tensor(start + wrong, tf.string)
