"""Raw operations on the parts of ragged tensors."""

import pytest

import gradtape as tf

RAW = tf.raw_ops


def test_rows_are_filled_up():
    found = RAW.RaggedTensorToTensor(
        shape=[-1, -1],
        values=[1, 2, 3],
        default_value=0,
        row_partition_tensors=[tf.constant([0, 2, 2, 3], tf.int64)],
        row_partition_types=["ROW_SPLITS"],
    )
    assert found.numpy().tolist() == [[1, 2], [0, 0], [3, 0]]


def test_rows_by_their_numbers():
    found = RAW.RaggedTensorToTensor(
        shape=-1,
        values=[1.0, 2.0, 3.0],
        default_value=-1.0,
        row_partition_tensors=[tf.constant(3, tf.int64), tf.constant([0, 2, 2], tf.int64)],
        row_partition_types=["FIRST_DIM_SIZE", "VALUE_ROWIDS"],
    )
    assert found.numpy().tolist() == [[1, -1], [-1, -1], [2, 3]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="row partition type"):
        RAW.RaggedTensorToTensor(
            shape=-1,
            values=[1],
            default_value=0,
            row_partition_tensors=[tf.constant([0, 1], tf.int64)],
            row_partition_types=["ROW_LIMITS"],
        )


def test_ranges():
    splits, values = RAW.RaggedRange(starts=[0, 3], limits=[2, 4], deltas=[1, 1])
    assert (splits.numpy().tolist(), values.numpy().tolist()) == ([0, 2, 3], [0, 1, 3])


def test_places():
    splits = [tf.constant([0, 2, 3], tf.int64)]
    found = RAW.RaggedTensorToSparse(rt_nested_splits=splits, rt_dense_values=[1, 2, 3])
    assert [x.numpy().tolist() for x in found] == [[[0, 0], [0, 1], [1, 0]], [1, 2, 3], [2, 2]]


def test_rows_are_gathered():
    splits, values = tf.raw_ops.RaggedGather(
        params_nested_splits=[tf.constant([0, 2, 3], tf.int64)],
        params_dense_values=tf.constant([1.0, 2.0, 3.0]),
        indices=[1, 0],
        OUTPUT_RAGGED_RANK=1,
    )
    assert splits[0].numpy().tolist() == [0, 1, 3]
    assert values.numpy().tolist() == [3, 1, 2]
