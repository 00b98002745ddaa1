"""Gradients of sums over ragged tensors, against the same sums written out row by row."""

import numpy as np
import pytest

import gradtape as tf

SPLITS = (0, 2, 2, 5)
VALUES = (0.5, -1.0, 2.0, 3.0, 0.25)
WEIGHTS = (1.0, 2.0, 3.0, 4.0, 5.0)


def gradient(function):
    """The gradient of a weighted sum of what a function gives of the rows, in flat order."""
    x = tf.Variable(VALUES)
    with tf.GradientTape() as tape:
        out = function(tf.RaggedTensor.from_row_splits(x, SPLITS))
        flat = out.flat_values if isinstance(out, tf.RaggedTensor) else tf.reshape(out, [-1])
        y = tf.reduce_sum(flat * WEIGHTS[: len(flat)])
    return tf.convert_to_tensor(tape.gradient(y, x)).numpy().tolist()


@pytest.mark.parametrize(
    ("axis", "exclusive", "reverse", "expected"),
    [
        (1, False, False, [3, 2, 12, 9, 5]),
        (1, True, False, [2, 0, 9, 5, 0]),
        (1, False, True, [1, 3, 3, 7, 12]),
        (0, False, False, [4, 6, 3, 4, 5]),
        (0, True, True, [0, 0, 1, 2, 0]),
    ],
)
def test_cumsum(axis, exclusive, reverse, expected):
    assert gradient(lambda x: tf.cumsum(x, axis, exclusive, reverse)) == expected


def test_segments():
    assert gradient(lambda x: tf.math.unsorted_segment_sum(x, [1, 0, 1], 2)) == [1, 2, 1, 2, 3]
    assert gradient(lambda x: tf.math.unsorted_segment_max(x, [0, 0, 0], 1)) == [0, 0, 1, 2, 3]


def test_places_and_shapes():
    assert gradient(lambda x: tf.gather_nd(x, [[2, 1], [0, 0], [2, 1]])) == [2, 0, 0, 4, 0]
    assert gradient(lambda x: tf.reshape(x, [5, 1])) == list(WEIGHTS)
    assert gradient(lambda x: tf.reshape(x.flat_values, tf.shape(x))) == list(WEIGHTS)
    assert gradient(lambda x: tf.add_n([x, x, x])) == [3 * w for w in WEIGHTS]


def test_a_column_is_spread_over_the_rows_of_a_shape():
    column = tf.Variable([[1.0], [2.0], [3.0]])
    shape = tf.shape(tf.RaggedTensor.from_row_splits(VALUES, SPLITS))
    with tf.GradientTape() as tape:
        rows = tf.broadcast_to(column, shape)
    np.testing.assert_array_equal(rows.flat_values, [1, 1, 3, 3, 3])
    got = tf.convert_to_tensor(tape.gradient(rows.flat_values, column))
    np.testing.assert_array_equal(got, [[2.0], [0.0], [3.0]])


def test_rows_that_do_not_fit():
    x = tf.RaggedTensor.from_row_splits(VALUES, SPLITS)
    with pytest.raises(tf.errors.InvalidArgumentError, match="one number for each of 3 rows"):
        tf.math.unsorted_segment_sum(x, [0, 1], 2)
    with pytest.raises(tf.errors.InvalidArgumentError, match="segment id 2 is not in"):
        tf.math.unsorted_segment_sum(x, [0, 1, 2], 2)
    with pytest.raises(tf.errors.InvalidArgumentError, match="either all of `inputs`"):
        tf.add_n([x, tf.constant(VALUES)])
    with pytest.raises(ValueError, match="out of bounds"):
        tf.cumsum(x, 2)
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not index into"):
        tf.gather_nd(x, [[0, 2]])
