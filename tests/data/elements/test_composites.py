"""Values are those of TensorFlow 2.21."""

import pytest

import gradtape as tf

Dataset = tf.data.Dataset
ROWS = tf.ragged.constant([[1], [2, 3], [4]])
DEEP = tf.ragged.constant([[[1], [2, 3]], [], [[4]]])
SPARSE = tf.SparseTensor([[0, 0], [1, 1], [2, 0]], [1, 2, 3], [3, 2])


def test_rows_of_ragged_tensors():
    rows = Dataset.from_tensor_slices(ROWS)
    assert rows.element_spec == tf.RaggedTensorSpec([None], tf.int32, 0)
    assert [row.numpy().tolist() for row in rows] == [[1], [2, 3], [4]]
    batches = rows.batch(2)
    assert batches.element_spec == tf.RaggedTensorSpec([None, None], tf.int32, 1)
    assert [batch.to_list() for batch in batches] == [[[1], [2, 3]], [[4]]]
    assert [row.numpy().tolist() for row in batches.unbatch()] == [[1], [2, 3], [4]]
    deep = Dataset.from_tensor_slices(DEEP)
    assert [row.to_list() for row in deep] == [[[1], [2, 3]], [], [[4]]]
    assert [batch.to_list() for batch in deep.batch(3)] == [DEEP.to_list()]


def test_rows_of_sparse_tensors():
    rows = Dataset.from_tensor_slices(SPARSE)
    assert rows.element_spec == tf.SparseTensorSpec([2], tf.int32)
    (batch,) = rows.batch(3)
    assert tf.sparse.to_dense(batch).numpy().tolist() == [[1, 0], [0, 2], [3, 0]]
    assert rows.batch(3).element_spec == tf.SparseTensorSpec([None, 2], tf.int32)


def test_ragged_and_sparse_batches():
    counts = Dataset.range(4).map(tf.range)
    assert [b.to_list() for b in counts.ragged_batch(2)] == [[[], [0]], [[0, 1], [0, 1, 2]]]
    assert counts.ragged_batch(2).element_spec == tf.RaggedTensorSpec([None, None], tf.int64, 1)
    assert len(list(counts.ragged_batch(3, drop_remainder=True))) == 1
    first, second = counts.sparse_batch(2, [5])
    assert first.dense_shape.numpy().tolist() == [2, 5]
    assert second.indices.numpy().tolist() == [[0, 0], [0, 1], [1, 0], [1, 1], [1, 2]]
    with pytest.raises(tf.errors.DataLossError, match="does not fit"):
        list(counts.sparse_batch(4, [2]))


def test_generators_of_every_kind():
    spec = (tf.TensorSpec([], tf.int32), {"a": tf.RaggedTensorSpec([None, None], tf.int32)})
    ((number, held),) = Dataset.from_generator(
        lambda: iter([(1, {"a": ROWS})]), output_signature=spec
    )
    assert (int(number), held["a"].to_list()) == (1, ROWS.to_list())
    with pytest.raises(tf.errors.InvalidArgumentError):
        list(Dataset.from_generator(lambda: iter([(1, {"a": 3})]), output_signature=spec))


@pytest.mark.parametrize("dtype", [tf.int32, tf.int64])
def test_ragged_batches_have_the_row_splits_asked_for(dtype):
    rows = tf.data.Dataset.range(4).map(tf.range).ragged_batch(2, row_splits_dtype=dtype)
    assert next(iter(rows)).row_splits.dtype == dtype
    assert rows.element_spec.row_splits_dtype == dtype
    again = rows.batch(2)
    assert next(iter(again)).row_splits.dtype == dtype
    assert again.element_spec.row_splits_dtype == dtype
