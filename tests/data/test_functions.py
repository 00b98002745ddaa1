"""The functions of `tf.data.experimental`."""

import pytest

import gradtape as tf

experimental = tf.data.experimental


def test_an_element_at_a_place():
    dataset = tf.data.Dataset.from_tensor_slices({"a": [1, 2, 3]}).map(lambda x: x)
    assert int(experimental.at(dataset, 2)["a"]) == 3
    for place in (3, -1):
        with pytest.raises(tf.errors.OutOfRangeError, match=f"no element {place}"):
            experimental.at(dataset, place)


def test_an_element_at_a_place_in_a_graph():
    @tf.function
    def third():
        return experimental.at(tf.data.Dataset.range(5).map(lambda x: x * x), 3)

    assert int(third()) == 9


def test_batches_of_rows_of_different_lengths():
    rows = tf.data.Dataset.range(3).map(tf.range)
    ragged = next(iter(rows.apply(experimental.dense_to_ragged_batch(3, row_splits_dtype="int32"))))
    assert ragged.to_list() == [[], [0], [0, 1]]
    assert ragged.row_splits.dtype is tf.int32
    sparse = next(iter(rows.apply(experimental.dense_to_sparse_batch(3, [4]))))
    assert tf.sparse.to_dense(sparse).shape.as_list() == [3, 4]


def test_snapshots_are_applied(tmp_path):
    dataset = tf.data.Dataset.range(3).apply(experimental.snapshot(str(tmp_path)))
    assert [int(x) for x in dataset] == [int(x) for x in dataset] == [0, 1, 2]
    assert len(list(tmp_path.iterdir())) == 1
