"""Shapes, axes and sizes from whatever a program passes."""

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.declare import arguments

INVALID = tf.errors.InvalidArgumentError


@pytest.mark.parametrize(
    "value",
    [
        [2, 3],
        (2, 3),
        np.array([2, 3]),
        tf.constant([2, 3]),
        [tf.constant(2), 3],
        tf.TensorShape([2, 3]),
        tf.Variable([2, 3]),
    ],
)
def test_sizes(value):
    assert arguments.sizes(value, "Reshape") == (2, 3)


@pytest.mark.parametrize("value", [[1.5], "ab", [[1], [2]], [None]])
def test_what_is_no_shape(value):
    with pytest.raises((INVALID, TypeError, ValueError)):
        arguments.sizes(value, "Reshape")


def test_lengths_that_no_tensor_has():
    assert arguments.lengths_checked((2, 0), "Fill") == (2, 0)
    with pytest.raises(INVALID, match="-1"):
        arguments.lengths_checked((2, -1), "Fill")


@pytest.mark.parametrize("value", [3, np.int64(3), tf.constant(3), np.array(3)])
def test_integers(value):
    assert arguments.integer(value, "Gather") == 3


@pytest.mark.parametrize("value", [1.5, "a", None, [1, 2]])
def test_what_is_no_integer(value):
    with pytest.raises((TypeError, ValueError)):
        arguments.integer(value, "Gather")


def test_axes_count_from_the_front():
    assert arguments.axis_index(-1, 3, "Concat", "bad axis") == 2
    assert arguments.axis_index(tf.constant(0), 3, "Concat", "bad axis") == 0
    with pytest.raises(INVALID, match="bad axis"):
        arguments.axis_index(3, 3, "Concat", "bad axis")


@pytest.mark.parametrize(
    ("axis", "axes"),
    [(None, (-3, -2, -1)), (0, (-3,)), ([2, 0], (-3, -1)), ([], ()), (tf.constant([1]), (-2,))],
)
def test_axes_of_reductions_count_from_the_end(axis, axes):
    assert arguments.reduced(axis, 3, "Sum") == axes


@pytest.mark.parametrize("axis", [3, [0, 0], [1, -2]])
def test_axes_that_are_not_there_or_twice(axis):
    with pytest.raises((INVALID, ValueError)):
        arguments.reduced(axis, 3, "Sum")


def test_shapes_in_messages():
    assert arguments.shown_shape((2, 3)) == "[2,3]"
    assert arguments.shown_shape(()) == "[]"


def test_words_that_are_allowed():
    assert arguments.one_of("UTF-8", ["UTF-8"], "encoding", "Op") == "UTF-8"
    with pytest.raises(tf.errors.InvalidArgumentError, match="encoding"):
        arguments.one_of("latin", ["UTF-8"], "encoding", "Op")


def test_a_list_makes_tensors_of_other_dtypes_indirect():
    wide = tf.constant(1.0, tf.float64)
    assert arguments.are_direct(wide, np.ones(2), 1, 2.0, tf.Variable(1.0))
    assert not arguments.are_direct(wide, [1.0])
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"Twice as input #1.* but is a double"
    ):
        arguments.input_of("Twice", 1, wide, tf.float32)
    with pytest.raises(ValueError, match="requested dtype float32"):
        arguments.input_of("Twice", 1, wide, tf.float32, direct=False)


@pytest.mark.parametrize("axis", [True, [True], np.True_, np.array([True])])
def test_a_bool_is_an_axis(axis):
    assert tf.reduce_sum([[1.0, 2.0]], axis).numpy().tolist() == [3.0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="bool"):
        tf.reduce_sum([[1.0, 2.0]], tf.constant([True]))


@pytest.mark.parametrize(
    ("run", "error"),
    [
        (lambda: tf.reduce_sum([[1.0]], axis="word"), tf.errors.InvalidArgumentError),
        (lambda: tf.argmin([1.0], axis="word"), tf.errors.InvalidArgumentError),
        (lambda: tf.tile([1.0], "word"), tf.errors.InvalidArgumentError),
        (lambda: tf.pad([1.0], "word"), tf.errors.InvalidArgumentError),
        (lambda: tf.transpose([[1.0]], perm="word"), tf.errors.InvalidArgumentError),
        (lambda: tf.roll([1.0], "word", 0), tf.errors.InvalidArgumentError),
        (lambda: tf.dynamic_partition([1.0], "word", 2), TypeError),
        (lambda: tf.linalg.diag([1.0], num_rows="word"), TypeError),
    ],
)
def test_texts_for_integers(run, error):
    """An input that takes int32 and int64 refuses the dtype; others can't make an integer of it."""
    with pytest.raises(error):
        run()
