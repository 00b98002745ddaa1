"""Slices, by `[]` and by functions."""

import numpy as np
import pytest

import gradtape as tf

X = np.arange(24.0).reshape(2, 3, 4)
KEYS = [
    1,
    -1,
    (0, 2),
    slice(None, None, -1),
    (slice(None), 1, slice(1, 3)),
    (..., 0),
    (0, ..., slice(None, None, 2)),
    (None, 0),
    (slice(None), None, ..., None),
    (slice(5, 9),),
]


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_keys_are_numpys(key):
    np.testing.assert_array_equal(tf.constant(X)[key], X[key])


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_gradients_go_to_what_was_taken(key):
    x = tf.constant(X)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(x[key] * 3.0)
    want = np.zeros_like(X)
    want[key] = 3
    np.testing.assert_array_equal(tape.gradient(y, x), want)


def test_tensors_as_bounds():
    x = tf.constant([1, 2, 3, 4])
    assert x[tf.constant(1) : tf.constant(3)].numpy().tolist() == [2, 3]
    assert x[tf.constant(-1)] == 4


def test_slice_counts_from_its_begin():
    assert tf.slice(X, [0, 1, 2], [1, -1, 2]).numpy().tolist() == X[:1, 1:, 2:4].tolist()
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError)):
        tf.slice(X, [0, 0, 3], [1, 1, 2])


def test_masks_of_strided_slices():
    got = tf.strided_slice(X, [0, 2, 0], [1, 0, 0], [1, -1, 1], begin_mask=4, end_mask=4)
    np.testing.assert_array_equal(got, X[0:1, 2:0:-1])
    assert tf.strided_slice(X, [1], [2], [1], shrink_axis_mask=1).shape == (3, 4)


def test_boolean_masks():
    keep = X[:, :, 0] > 3
    np.testing.assert_array_equal(tf.boolean_mask(X, keep), X[keep])
    assert tf.boolean_mask(X, [True, False, True], axis=1).shape == (2, 2, 4)
    with pytest.raises(ValueError, match="incompatible"):
        tf.boolean_mask(X, [True])


@pytest.mark.parametrize(
    ("key", "error"),
    [
        (2, (tf.errors.InvalidArgumentError, IndexError)),
        ((0, 0, 0, 0), (tf.errors.InvalidArgumentError, IndexError)),
        ("a", TypeError),
        (1.5, TypeError),
        ((slice(0, 1, 0),), (tf.errors.InvalidArgumentError, ValueError)),
    ],
)
def test_keys_that_are_refused(key, error):
    with pytest.raises(error):
        tf.constant(X)[key]
