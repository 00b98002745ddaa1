"""Partitions into rows; answers are TensorFlow's."""

import pytest

import gradtape as tf

Rows = tf.experimental.RowPartition
SAME = [
    lambda: Rows.from_row_splits([0, 2, 2, 5]),
    lambda: Rows.from_row_lengths([2, 0, 3]),
    lambda: Rows.from_value_rowids([0, 0, 2, 2, 2]),
    lambda: Rows.from_row_starts([0, 2, 2], nvals=5),
    lambda: Rows.from_row_limits([2, 2, 5]),
]


def numbers(x):
    return x.numpy().tolist()


@pytest.mark.parametrize("make", SAME)
def test_one_partition_in_five_ways(make):
    rows = make()
    assert repr(rows) == "tf.RowPartition(row_splits=[0 2 2 5])"
    assert numbers(rows.row_lengths()) == [2, 0, 3]
    assert (numbers(rows.row_starts()), numbers(rows.row_limits())) == ([0, 2, 2], [2, 2, 5])
    assert numbers(rows.value_rowids()) == [0, 0, 2, 2, 2]
    assert numbers(rows.offsets_in_rows()) == [0, 1, 0, 1, 2]
    assert (int(rows.nrows()), int(rows.nvals()), rows.static_nrows) == (3, 5, 3)
    assert (rows.uniform_row_length(), rows.is_uniform(), rows.dtype) == (None, False, tf.int64)
    assert numbers(rows.with_dtype(tf.int32).row_splits()) == [0, 2, 2, 5]
    assert rows.with_dtype(tf.int32).dtype is tf.int32


def test_rows_of_one_length():
    rows = Rows.from_uniform_row_length(2, nvals=6)
    assert repr(rows) == "tf.RowPartition(nrows=3, uniform_row_length=2)"
    assert numbers(rows.row_splits()) == [0, 2, 4, 6]
    assert int(rows.uniform_row_length()) == rows.static_uniform_row_length == 2
    assert (rows.is_uniform(), rows.static_nvals) == (True, 6)
    assert Rows.from_uniform_row_length(0, nvals=0, nrows=3).static_nrows == 3
    assert Rows.from_uniform_row_length(2, nrows=2, dtype=tf.int32).dtype is tf.int32


def test_dtypes():
    assert Rows.from_row_splits(tf.constant([0, 1])).dtype is tf.int32
    assert Rows.from_row_splits([0, 1], dtype=tf.int32).dtype is tf.int32
    with pytest.raises(ValueError, match="dtype int64 for Tensor with dtype int32"):
        Rows.from_row_splits(tf.constant([0, 1]), dtype=tf.int64)


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: Rows.from_row_splits([1, 2]), tf.errors.InvalidArgumentError),
        (lambda: Rows.from_row_splits([0, 2, 1]), tf.errors.InvalidArgumentError),
        (lambda: Rows.from_row_splits([]), ValueError),
        (lambda: Rows.from_row_splits([[0, 1]]), ValueError),
        (lambda: Rows.from_row_splits([0.0, 1.0]), ValueError),
        (lambda: Rows.from_row_lengths([-1]), tf.errors.InvalidArgumentError),
        (lambda: Rows.from_value_rowids([1, 0]), tf.errors.InvalidArgumentError),
        (lambda: Rows.from_value_rowids([1, 3], nrows=2), ValueError),
        (lambda: Rows.from_row_starts([1, 3], nvals=5), tf.errors.InvalidArgumentError),
        (lambda: Rows.from_row_starts([0, 7], nvals=5), tf.errors.InvalidArgumentError),
        (lambda: Rows.from_row_limits([3, 1]), tf.errors.InvalidArgumentError),
        (lambda: Rows.from_uniform_row_length(2, nvals=5), ValueError),
        (lambda: Rows.from_uniform_row_length(-1, nvals=0), ValueError),
        (lambda: Rows.from_uniform_row_length(2), ValueError),
        (lambda: Rows(tf.constant([0, 1])), ValueError),
        (lambda: SAME[0]().with_dtype(tf.float32), ValueError),
    ],
)
def test_refused(make, error):
    with pytest.raises(error):
        make()


def test_in_functions():
    assert numbers(tf.function(lambda rows: rows.row_lengths())(SAME[0]())) == [2, 0, 3]
    ids = tf.function(lambda splits: Rows.from_row_splits(splits).value_rowids())
    assert numbers(ids(tf.constant([0, 1, 3]))) == [0, 1, 1]
    spec = tf.type_spec_from_value(SAME[0]())
    assert repr(spec) == (
        "RowPartitionSpec(nrows=3, nvals=None, uniform_row_length=None, dtype=tf.int64)"
    )
    assert spec.is_compatible_with(SAME[1]())
