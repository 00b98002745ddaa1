"""Counts and confusion matrices; values are TensorFlow's."""

import numpy as np
import pytest

import gradtape as tf


def test_confusion():
    got = tf.math.confusion_matrix([1, 2, 4], [2, 2, 4])
    assert got.dtype is tf.int32
    assert np.argwhere(got).tolist() == [[1, 2], [2, 2], [4, 4]]
    got = tf.math.confusion_matrix([1, 2, 2], [2, 2, 2], 4, [0.5, 1, 2], tf.float32)
    assert (got.shape, got[1, 2], got[2, 2]) == ((4, 4), 0.5, 3)


A, B = np.array([[1, 2, 1], [4, 5, 6]]), np.array([[1, 3], [5, 4]])


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (
            lambda: tf.math.confusion_matrix([1, -2], [2, 2]),
            tf.errors.InvalidArgumentError,
            "negative",
        ),
        (
            lambda: tf.math.confusion_matrix([1, 4], [2, 2], 3),
            tf.errors.InvalidArgumentError,
            "out of bound",
        ),
    ],
)
def test_errors(call, error, match):
    with pytest.raises(error, match=match):
        call()


def test_ranges_of_bins_have_the_dtype_of_the_values():
    with pytest.raises(tf.errors.InvalidArgumentError, match="was expected to be a int32 tensor"):
        tf.histogram_fixed_width_bins([1, 2], [0.0, 4.0])
    assert tf.histogram_fixed_width_bins([1, 2], [0, 4], 4).numpy().tolist() == [1, 2]


def test_lengths_and_flags_of_counts_are_checked():
    with pytest.raises(TypeError, match="Expected bool for argument 'binary_output'"):
        tf.math.bincount([1], binary_output="a")
    with pytest.raises(TypeError, match=r"Cannot convert 2\.5"):
        tf.math.bincount([1], minlength=2.5)
    with pytest.raises(tf.errors.UnimplementedError, match="Cast string to int32"):
        tf.math.bincount(["a"])


@pytest.mark.parametrize("bincount", [tf.math.bincount, tf.sparse.bincount])
@pytest.mark.parametrize("within", [lambda run: run, tf.function], ids=["eager", "traced"])
def test_occurrences_are_marked_or_weighted(bincount, within):
    with pytest.raises(ValueError, match="mutually exclusive"):
        within(lambda x, w: bincount(x, weights=w, binary_output=True))([1, 1, 2], [0.5, 0.5, 1.0])


def test_the_raw_operation_marks_occurrences_in_the_dtype_of_the_weights():
    given = {"input": [1, 1, 2], "size": 3, "weights": [0.5, 0.5, 1.0]}
    marks = tf.raw_ops.DenseBincount(**given, binary_output=True)
    assert marks.dtype is tf.float32
    assert marks.numpy().tolist() == [0, 1, 1]


def test_the_range_of_a_histogram_is_converted_to_the_dtype_of_the_values():
    with pytest.raises(TypeError, match=r"Cannot convert 0\.0 to EagerTensor"):
        tf.histogram_fixed_width([1, 2], [0.0, 4.0])
    assert tf.histogram_fixed_width([1.0, 2.0], [0, 4], 4).numpy().tolist() == [0, 1, 1, 0]


def test_the_default_dtype_of_a_confusion_matrix():
    assert tf.math.confusion_matrix([1], [1]).dtype is tf.int32
    assert tf.math.confusion_matrix([1], [1], dtype=None).dtype is tf.int64
    with pytest.raises(TypeError):
        tf.math.confusion_matrix([1], [1], weights=[1], dtype=None)
