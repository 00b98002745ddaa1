"""The greatest and least elements, and where they stand."""

import numpy as np
import pytest

import gradtape as tf

X = np.array([[3.0, 1.0, 3.0], [-2.0, 5.0, 0.0]])


@pytest.mark.parametrize("axis", [None, 0, -1, [0, 1], []])
@pytest.mark.parametrize("keepdims", [False, True])
def test_values_are_numpys(axis, keepdims):
    numpys = tuple(axis) if isinstance(axis, list) else axis
    for got, want in (
        (tf.reduce_max(X, axis, keepdims), X.max(numpys, keepdims=keepdims)),
        (tf.reduce_min(X, axis, keepdims), X.min(numpys, keepdims=keepdims)),
    ):
        np.testing.assert_array_equal(got, want)


def test_the_first_of_equal_ones_is_the_place():
    assert tf.argmax(X, 1).numpy().tolist() == [0, 1]
    assert tf.argmin([2, 1, 1]) == 1
    assert tf.argmax(X).numpy().tolist() == [0, 1, 0]
    assert tf.argmax(X, 1, tf.int32).dtype is tf.int32


def test_equal_ones_share_the_gradient():
    x = tf.constant(X)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_max(x, 1)
    assert tape.gradient(y, x).numpy().tolist() == [[0.5, 0, 0.5], [0, 1, 0]]


def test_of_nothing():
    assert tf.reduce_max(tf.zeros([0])) == -np.inf
    assert tf.reduce_min(tf.zeros([0], tf.int32)) == np.iinfo(np.int32).max
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"empty|dimension"):
        tf.argmax(tf.zeros([0]))


@pytest.mark.parametrize(
    "call",
    [
        lambda: tf.argmax(X, 2),
        lambda: tf.reduce_max(X, 2),
        lambda: tf.argmax(X, 0, tf.float32),
        lambda: tf.reduce_max(["a"]),
    ],
)
def test_what_is_refused(call):
    with pytest.raises((ValueError, TypeError, tf.errors.InvalidArgumentError)):
        call()
