"""Padding, and blocks of an image as channels; values of spaces and batches are TensorFlow's."""

import numpy as np
import pytest

import gradtape as tf

X = np.arange(6.0).reshape(2, 3)


@pytest.mark.parametrize("mode", ["CONSTANT", "reflect", "SYMMETRIC"])
def test_pad_is_numpys(mode):
    got = tf.pad(X, [[1, 1], [2, 0]], mode)
    want = np.pad(X, [[1, 1], [2, 0]], mode.lower())
    np.testing.assert_array_equal(got, want)


def test_pad_fills_with_the_value_asked_for():
    got = tf.pad([["a"]], [[0, 1], [0, 0]], constant_values="z")
    assert got.numpy().tolist() == [[b"a"], [b"z"]]


def test_blocks_go_to_the_batch_and_come_back():
    x = np.arange(24).reshape(1, 4, 6, 1)
    parts = tf.space_to_batch_nd(x, [2, 3], [[0, 0], [0, 0]])
    assert parts.shape == (6, 2, 2, 1)
    assert parts[1, ..., 0].numpy().tolist() == x[0, ::2, 1::3, 0].tolist()
    np.testing.assert_array_equal(tf.batch_to_space(parts, [2, 3], [[0, 0], [0, 0]]), x)


def test_blocks_go_to_the_depth_and_come_back():
    x = np.arange(16).reshape(1, 4, 4, 1)
    deep = tf.nn.space_to_depth(x, 2)
    assert deep[0, 0, 1].numpy().tolist() == [2, 3, 6, 7]
    np.testing.assert_array_equal(tf.nn.depth_to_space(deep, 2), x)


def test_the_padding_that_blocks_need():
    paddings, crops = tf.required_space_to_batch_paddings([5, 6], [2, 4], [[0, 0], [1, 0]])
    assert paddings.numpy().tolist() == [[0, 1], [1, 1]]
    assert crops.numpy().tolist() == [[0, 1], [0, 1]]


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: tf.pad(X, [[1, 1]]), (ValueError, tf.errors.InvalidArgumentError)),
        (lambda: tf.pad(X, [[0, 0], [3, 0]], "REFLECT"), tf.errors.InvalidArgumentError),
        (lambda: tf.pad(X, [[0, 0], [0, 0]], "EDGE"), ValueError),
        (lambda: tf.nn.space_to_depth(np.zeros((1, 3, 4, 1)), 2), tf.errors.InvalidArgumentError),
        (
            lambda: tf.space_to_batch_nd(np.zeros((1, 3, 1)), [2], [[0, 0]]),
            tf.errors.InvalidArgumentError,
        ),
    ],
)
def test_what_does_not_fit(call, error):
    with pytest.raises(error):
        call()
