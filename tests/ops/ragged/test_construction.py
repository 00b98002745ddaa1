"""Making ragged tensors, and forms of partitions; values are TensorFlow's."""

import pytest

import gradtape as tf

X = tf.SparseTensor([[0, 1], [1, 0], [3, 2]], [3.0, 1.0, 2.0], [4, 3])
R = tf.ragged.constant([[1, 2, 3], [], [4, 5]])


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda: tf.ragged.range([3, 0, 2]), [[0, 1, 2], [], [0, 1]]),
        (lambda: tf.ragged.range([0, 5, 8], [3, 3, 12], 2), [[0, 2], [], [8, 10]]),
        (lambda: tf.ragged.boolean_mask(R, [True, False, True]), [[1, 2, 3], [4, 5]]),
        (
            lambda: tf.ragged.boolean_mask(
                R, tf.ragged.constant([[True, False, True], [], [False, True]])
            ),
            [[1, 3], [], [5]],
        ),
        (
            lambda: tf.ragged.boolean_mask([[1, 2], [3, 4]], [[True, False], [False, False]]),
            [[1], []],
        ),
        (
            lambda: tf.ragged.stack([R, tf.ragged.constant([[6], [7]])]),
            [[[1, 2, 3], [], [4, 5]], [[6], [7]]],
        ),
        (lambda: tf.ragged.stack([[1, 2], [3]]), [[1, 2], [3]]),
        (
            lambda: tf.ragged.stack(
                [tf.ragged.constant([[1], [2, 3]]), tf.ragged.constant([[4, 5], [6]])], axis=1
            ),
            [[[1], [4, 5]], [[2, 3], [6]]],
        ),
        (
            lambda: tf.ragged.stack_dynamic_partitions([1, 2, 3, 4], [0, 2, 2, 1], 4),
            [[1], [4], [2, 3], []],
        ),
    ],
)
def test_ragged(call, expected):
    assert call().to_list() == expected


def test_forms_of_partitions():
    splits, ids = [0, 3, 3, 5, 6, 9], [0, 0, 0, 2, 2, 3, 4, 4, 4]
    assert tf.ragged.row_splits_to_segment_ids(splits).numpy().tolist() == ids
    assert tf.ragged.segment_ids_to_row_splits(ids).numpy().tolist() == splits
    longer = tf.ragged.segment_ids_to_row_splits([0, 0, 2], num_segments=5)
    assert longer.numpy().tolist() == [0, 2, 2, 3, 3, 3]


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (lambda: tf.ragged.boolean_mask([1, 2], [True]), ValueError, "incompatible"),
        (lambda: tf.ragged.range([1], [2], 0), tf.errors.InvalidArgumentError, "delta"),
    ],
)
def test_errors(call, error, match):
    with pytest.raises(error, match=match):
        call()


def test_partitions_have_the_dtype_of_splits():
    partitioned = tf.ragged.stack_dynamic_partitions
    for dtype in (tf.int32, tf.int64):
        assert partitioned([1.0, 2.0], tf.constant([1, 0], dtype), 2).row_splits.dtype is dtype
    rows = tf.ragged.constant([[1], [2, 3]], row_splits_dtype=tf.int32)
    assert partitioned(rows, tf.constant([1, 0], tf.int64), 2).row_splits.dtype is tf.int32
    with pytest.raises(ValueError, match="int32 or int64, got int16"):
        partitioned([1.0], tf.constant([0], tf.int16), 2)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_stacked_rows_keep_the_dtype_of_their_splits(axis):
    x = R.with_row_splits_dtype(tf.int32)
    assert tf.stack([x, x], axis).row_splits.dtype is tf.int32
    assert tf.ragged.stack([x, x], min(axis, 1)).row_splits.dtype is tf.int32


@pytest.mark.parametrize("axis", [0, 1])
def test_stacking_refuses_splits_of_two_dtypes(axis):
    with pytest.raises(ValueError, match="row_splits"):
        tf.stack([R, R.with_row_splits_dtype(tf.int32)], axis)


@pytest.mark.parametrize("axis", [0, 1])
def test_a_tensor_is_stacked_with_ragged_rows_of_any_splits(axis):
    x = R.with_row_splits_dtype(tf.int32)
    found = tf.stack([x, tf.constant([[7], [8], [9]])], axis)
    rows = [[1, 2, 3], [], [4, 5]], [[7], [8], [9]]
    assert found.row_splits.dtype is tf.int32
    assert found.to_list() == [*map(list, rows if axis == 0 else zip(*rows, strict=True))]
