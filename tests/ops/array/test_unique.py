"""Distinct values in the order in which they come first."""

import numpy as np
import pytest

import gradtape as tf


@pytest.mark.parametrize("values", [[3, 1, 3, 2, 1], ["b", "a", "b"], [0.0, -0.0, 1.5], []])
def test_values_places_and_counts(values):
    x = tf.constant(values)
    y, places, counts = tf.unique_with_counts(x)
    assert y.numpy().tolist() == list(dict.fromkeys(x.numpy().tolist()))
    assert tf.gather(y, places).numpy().tolist() == x.numpy().tolist()
    assert counts.numpy().tolist() == [x.numpy().tolist().count(v) for v in y.numpy().tolist()]


def test_the_dtype_of_places():
    found = tf.unique([5, 5], out_idx=tf.int64)
    assert (found.y.dtype, found.idx.dtype) == (tf.int32, tf.int64)
    assert tf.unique([5, 5]).idx.dtype is tf.int32


def test_rows_along_an_axis():
    x = [[1, 0, 1], [2, 0, 2]]
    found = tf.raw_ops.UniqueV2(x=x, axis=[1])
    assert found.y.numpy().tolist() == [[1, 0], [2, 0]]
    assert found.idx.numpy().tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    "call",
    [
        lambda: tf.unique([[1, 2]]),
        lambda: tf.raw_ops.UniqueV2(x=[1], axis=[1]),
        lambda: tf.raw_ops.UniqueV2(x=[1], axis=[0, 0]),
    ],
)
def test_axes_that_are_not_there(call):
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        call()


def test_many_values_are_found_again():
    x = np.random.default_rng(0).integers(0, 50, 2000)
    y, places = tf.unique(x)
    np.testing.assert_array_equal(y.numpy()[places.numpy()], x)
    assert sorted(y.numpy()) == sorted(set(x.tolist()))
