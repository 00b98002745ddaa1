import numpy as np
import pytest

import gradtape as tf
from gradtape._src.sessions.ragged_values import nested
from gradtape.compat import v1


def test_rows_are_nested_from_the_outside():
    value = nested(np.arange(4), np.array([0, 1, 2]), np.array([0, 3, 4]))
    assert value.to_list() == [[[0, 1, 2]], [[3]]]
    assert value.shape == (2, None, None)
    assert value.ragged_rank == 2
    assert value.values.row_splits.tolist() == [0, 3, 4]


@pytest.mark.parametrize(
    ("values", "splits", "error"),
    [([1], np.array([0, 1]), TypeError), (np.array([1]), [0, 1], TypeError)],
)
def test_only_arrays_make_a_value(values, splits, error):
    with pytest.raises(error):
        v1.ragged.RaggedTensorValue(values, splits)


def test_splits_of_all_axes_have_one_dtype():
    inner = v1.ragged.RaggedTensorValue(np.array([1]), np.array([0, 1]))
    with pytest.raises(ValueError, match="same dtype"):
        v1.ragged.RaggedTensorValue(inner, np.array([0, 1], np.int32))


def test_constant_values_are_those_of_constants():
    for rows, options in (([[1, 2], []], {}), ([[[1], [2]], []], {"inner_shape": [1]})):
        value = v1.ragged.constant_value(rows, **options)
        assert value.to_list() == tf.ragged.constant(rows, **options).to_list()


def test_a_value_that_is_returned_can_be_fed():
    with tf.Graph().as_default(), v1.Session() as session:
        rows = v1.ragged.placeholder(tf.string, 1, [])
        value = session.run(tf.ragged.constant([["a"], [], ["b", "c"]]))
        assert session.run(tf.strings.upper(rows), {rows: value}).to_list() == [
            [b"A"],
            [],
            [b"B", b"C"],
        ]
