import pytest
from graphdef_export.exporting import exported, kinds

import gradtape as tf

ROWS = tf.RaggedTensorSpec([None, None], tf.float32)
DEEP = tf.RaggedTensorSpec([None, None, None], tf.float32)
SPARSE = tf.SparseTensorSpec([None, 3], tf.float32)


def test_ragged_tensors_are_their_parts_the_outermost_splits_first() -> None:
    (made,) = exported(lambda x: x * 2.0, DEEP)
    assert [x.type for x in made.signature.input_arg] == [1, 9, 9]
    assert made.ret["output_1"] != made.ret["output_2"]


def test_rows_are_summed_by_their_numbers() -> None:
    found = kinds(lambda x: tf.reduce_sum(x, 1), ROWS)
    assert found["UnsortedSegmentSum"] == 1
    assert kinds(lambda x: tf.reduce_mean(x, -1), ROWS)["RealDiv"] == 1
    assert kinds(lambda x: tf.reduce_max(x), ROWS)["Max"] == 1
    for axis in (0, [0, 1]):
        with pytest.raises(tf.errors.UnimplementedError, match="can't be saved"):
            exported(lambda x, axis=axis: tf.reduce_sum(x, axis), ROWS)


def test_parts_of_rows() -> None:
    assert kinds(lambda x: x[:, 1:3], ROWS)["RaggedRange"] == 1
    assert kinds(lambda x: x[-1], ROWS)["Range"] == 1
    with pytest.raises(tf.errors.UnimplementedError, match="this part of a ragged tensor"):
        exported(lambda x: x[::2], ROWS)


def test_sparse_tensors_become_operations_on_their_parts() -> None:
    found = kinds(lambda x: tf.sparse.to_dense(tf.sparse.add(x, x)), SPARSE)
    assert found["SparseAdd"] == found["SparseToDense"] == 1
    found = kinds(lambda x: tf.sparse.from_dense(x), tf.TensorSpec([None, 3]))
    assert found["Where"] == found["GatherNd"] == 1
    with pytest.raises(tf.errors.UnimplementedError, match="expand_nonconcat_dims"):
        exported(lambda x: tf.sparse.concat(0, [x, x], expand_nonconcat_dims=True), SPARSE)
