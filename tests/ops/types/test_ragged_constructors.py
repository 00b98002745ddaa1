"""The ways to say where the rows of a ragged tensor begin."""

import numpy as np
import pytest

import gradtape as tf

ROWS = [[3, 1], [], [4]]
VALUES = [3, 1, 4]
Ragged = tf.RaggedTensor


@pytest.mark.parametrize(
    ("made", "how"),
    [
        (Ragged.from_row_splits, [0, 2, 2, 3]),
        (Ragged.from_row_lengths, [2, 0, 1]),
        (Ragged.from_row_starts, [0, 2, 2]),
        (Ragged.from_row_limits, [2, 2, 3]),
        (Ragged.from_value_rowids, [0, 0, 2]),
    ],
)
def test_every_way_gives_the_same_rows(made, how):
    rows = made(VALUES, how)
    assert rows.to_list() == ROWS
    assert rows.row_splits.dtype == tf.int64
    assert made(VALUES, tf.constant(how, tf.int32)).row_splits.dtype == tf.int32


@pytest.mark.parametrize(
    ("made", "how"),
    [
        (Ragged.from_row_splits, [0, 2, 1, 3]),
        (Ragged.from_row_splits, [0, 2]),
        (Ragged.from_row_lengths, [2, 2]),
        (Ragged.from_row_starts, [1, 2]),
        (Ragged.from_row_limits, [2, 4]),
        (Ragged.from_value_rowids, [0, 2, 1]),
    ],
)
def test_rows_that_do_not_match_the_values_are_refused(made, how):
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        made(VALUES, how)


def test_rows_after_the_last_value_are_empty():
    assert Ragged.from_value_rowids(VALUES, [0, 0, 2], nrows=5).to_list() == [*ROWS, [], []]


def test_rows_of_one_length_know_it():
    rows = Ragged.from_uniform_row_length([1, 2, 3, 4], 2)
    assert int(rows.uniform_row_length) == 2
    assert rows.shape.as_list() == [2, 2]
    with pytest.raises(ValueError, match="3 values do not make 1 rows of length 2"):
        Ragged.from_uniform_row_length(VALUES, 2)


def test_rows_of_rows():
    rows = Ragged.from_nested_row_splits(VALUES, ([0, 2, 3], [0, 1, 2, 3]))
    assert rows.to_list() == [[[3], [1]], [[4]]]
    assert rows.ragged_rank == 2


def test_rows_of_a_tensor():
    x = [[1, 2, 0], [3, 0, 0]]
    assert Ragged.from_tensor(x).to_list() == x
    assert Ragged.from_tensor(x, lengths=[2, 1]).to_list() == [[1, 2], [3]]
    assert Ragged.from_tensor(x, padding=0).to_list() == [[1, 2], [3]]
    with pytest.raises(ValueError, match="not both"):
        Ragged.from_tensor(x, lengths=[2, 1], padding=0)
    with pytest.raises(ValueError, match="ragged_rank=2 must be in"):
        Ragged.from_tensor(x, ragged_rank=2)


def test_a_subclass_makes_its_own():
    class Own(tf.RaggedTensor):
        pass

    assert type(Own.from_row_lengths(VALUES, [2, 0, 1])) is Own


def test_nested_lengths_and_row_numbers():
    R = tf.RaggedTensor
    nested = R.from_nested_row_lengths([1, 2, 3], [[2, 0], [1, 2]])
    assert nested.to_list() == [[[1], [2, 3]], []]
    assert [ids.numpy().tolist() for ids in nested.nested_value_rowids()] == [[0, 0], [0, 1, 1]]
    again = R.from_nested_value_rowids([1, 2, 3], nested.nested_value_rowids(), [2, 2])
    assert again.to_list() == nested.to_list()
    assert R.from_nested_value_rowids([1, 2, 3], [[0, 0], [0, 1, 1]]).to_list() == [[[1], [2, 3]]]
    for wrong in (R.from_nested_row_lengths, R.from_nested_value_rowids):
        with pytest.raises(TypeError, match="must be a list of Tensors"):
            wrong([1, 2], tf.constant([[2]]))
    with pytest.raises(ValueError, match="same length"):
        R.from_nested_value_rowids([1], [[0]], [1, 1])


def test_row_splits_of_another_dtype():
    nested = tf.ragged.constant([[[1], [2, 3]], []])
    narrow = nested.with_row_splits_dtype(tf.int32)
    assert {splits.dtype for splits in narrow.nested_row_splits} == {tf.int32}
    assert narrow.to_list() == nested.to_list()
    assert narrow.get_shape() == nested.shape
    with pytest.raises(ValueError, match="int32 or int64"):
        nested.with_row_splits_dtype(tf.float32)


@pytest.mark.parametrize("dtype", [tf.int32, tf.int64])
def test_row_splits_have_the_dtype_of_a_uniform_length(dtype):
    rows = tf.RaggedTensor.from_uniform_row_length([1, 2, 3, 4], tf.constant(2, dtype))
    assert rows.row_splits.dtype is dtype
    assert rows.row_splits.numpy().tolist() == [0, 2, 4]


THREE = [1, 2, 3]
WITH_INT32 = tf.RaggedTensor.from_row_splits(THREE, tf.constant([0, 1, 3]))
Invalid = tf.errors.InvalidArgumentError


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: Ragged.from_row_lengths(THREE, [-1, 4]), Invalid),
        (lambda: Ragged.from_row_lengths(THREE, [1, 1]), Invalid),
        (lambda: Ragged.from_row_lengths(3, [1]), Invalid),
        (lambda: Ragged.from_row_lengths(THREE, [[1, 2]]), ValueError),
        (lambda: Ragged.from_row_lengths(THREE, [1.0, 2.0]), ValueError),
        (lambda: Ragged.from_row_lengths(THREE, 3), ValueError),
        (lambda: Ragged.from_row_lengths(THREE, ["a"]), ValueError),
        (lambda: Ragged.from_row_splits(THREE, [1, 3]), Invalid),
        (lambda: Ragged.from_row_splits(THREE, [0, 2, 1, 3]), Invalid),
        (lambda: Ragged.from_row_splits(THREE, [0, 2]), Invalid),
        (lambda: Ragged.from_row_splits(THREE, []), ValueError),
        (lambda: Ragged.from_row_splits(THREE, [0.0, 3.0]), ValueError),
        (lambda: Ragged.from_row_splits(WITH_INT32, tf.constant([0, 2], tf.int64)), ValueError),
        (lambda: Ragged.from_row_splits(WITH_INT32, np.int64([0, 2])), ValueError),
        (lambda: Ragged.from_value_rowids(THREE, [1, 0, 2]), Invalid),
        (lambda: Ragged.from_value_rowids(THREE, [-1, 0, 2]), Invalid),
        (lambda: Ragged.from_value_rowids(THREE, [0, 1]), ValueError),
        (lambda: Ragged.from_value_rowids(THREE, [0, 1, 5], nrows=3), ValueError),
        (lambda: Ragged.from_value_rowids(THREE, [0, 1, 2], nrows=[3]), ValueError),
        (lambda: Ragged.from_row_starts(THREE, [1, 2]), Invalid),
        (lambda: Ragged.from_row_starts(THREE, [0, 5]), Invalid),
        (lambda: Ragged.from_row_starts(THREE, [[0]]), ValueError),
        (lambda: Ragged.from_row_limits(THREE, [2, 1, 3]), Invalid),
        (lambda: Ragged.from_row_limits(THREE, []), Invalid),
        (lambda: Ragged.from_uniform_row_length(THREE, -1), ValueError),
        (lambda: Ragged.from_uniform_row_length(THREE, 1.5), ValueError),
        (lambda: Ragged.from_uniform_row_length(THREE, [3]), ValueError),
        (lambda: Ragged.from_nested_row_splits(THREE, [[0, 5], [0, 3]]), Invalid),
        (lambda: Ragged.from_nested_row_splits(THREE, tf.constant([[0, 3]])), TypeError),
        (lambda: Ragged.from_tensor([[1, 2], [3, 4]], lengths=[1]), ValueError),
        (lambda: Ragged.from_tensor([[1, 2]], padding=[0, 0]), ValueError),
        (lambda: Ragged.from_tensor([[[1, 2]]], padding=0), ValueError),
        (lambda: tf.ragged.constant([[1, [2]]]), ValueError),
        (lambda: tf.ragged.constant([[1]], ragged_rank=5), ValueError),
        (lambda: tf.ragged.constant([[1]], row_splits_dtype=tf.int8), ValueError),
        (lambda: WITH_INT32.to_tensor(shape=[1]), Invalid),
    ],
)
def test_arguments_that_are_no_rows_raise_the_types_of_tensorflow(make, error):
    with pytest.raises(error):
        make()


def test_splits_have_the_dtype_of_arrays_and_of_inner_splits():
    of_array = Ragged.from_row_lengths(THREE, np.int32([3]))
    assert of_array.row_splits.dtype is tf.int32
    assert Ragged.from_row_splits(THREE, np.int16([0, 3])).row_splits.dtype is tf.int64
    for outer in (
        Ragged.from_row_splits(WITH_INT32, [0, 2]),
        Ragged.from_row_lengths(WITH_INT32, [2]),
        Ragged.from_value_rowids(WITH_INT32, [0, 0]),
        Ragged.from_uniform_row_length(WITH_INT32, 2),
    ):
        assert outer.row_splits.dtype is tf.int32
        assert outer.to_list() == [[[1], [2, 3]]]
