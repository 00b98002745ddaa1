"""Raw operations on the parts of sparse tensors."""

import numpy as np
import pytest

import gradtape as tf

RAW = tf.raw_ops
PLACES = tf.constant([[1, 0], [0, 1]], tf.int64)
VALUES = tf.constant([2.0, 3.0])
SHAPE = tf.constant([2, 2], tf.int64)


def test_products_with_their_gradients():
    order = tf.constant([1, 0])
    places, values = tf.gather(PLACES, order), tf.gather(VALUES, order)
    b = tf.constant([[1.0], [10.0]])
    with tf.GradientTape() as tape:
        tape.watch([values, b])
        y = RAW.SparseTensorDenseMatMul(a_indices=places, a_values=values, a_shape=SHAPE, b=b)
    assert y.numpy().tolist() == [[30], [2]]
    dv, db = tape.gradient(y, [values, b])
    assert (dv.numpy().tolist(), db.numpy().tolist()) == ([10, 1], [[2], [3]])


def test_order_shape_and_sums():
    parts = {"input_indices": PLACES, "input_values": VALUES, "input_shape": SHAPE}
    places, values = RAW.SparseReorder(**parts)
    assert (places.numpy().tolist(), values.numpy().tolist()) == ([[0, 1], [1, 0]], [3, 2])
    total = RAW.SparseReduceSum(**parts, reduction_axes=[1])
    assert total.numpy().tolist() == [3, 2]
    moved, shape = RAW.SparseReshape(input_indices=places, input_shape=SHAPE, new_shape=[4])
    assert (moved.numpy().tolist(), shape.numpy().tolist()) == ([[1], [2]], [4])


def test_to_a_tensor():
    made = RAW.SparseToDense(
        sparse_indices=[0, 2], output_shape=[3], sparse_values=[1, 2], default_value=-1
    )
    assert made.numpy().tolist() == [1, -1, 2]
    words = RAW.SparseToDense(
        sparse_indices=[[1]], output_shape=[2], sparse_values=["a"], default_value="-"
    )
    assert np.array_equal(words.numpy(), np.array([b"-", b"a"], object))


def test_parts_of_sparse_tensors_are_combined():
    parts = {"indices": PLACES, "values": VALUES}
    cut = RAW.SparseSlice(**parts, shape=SHAPE, start=[0, 0], size=[1, 2])
    assert [x.numpy().tolist() for x in cut] == [[[0, 1]], [3], [1, 2]]
    joined = RAW.SparseConcat(
        indices=[PLACES] * 2, values=[VALUES] * 2, shapes=[SHAPE] * 2, concat_dim=0
    )
    assert joined[0].shape == (4, 2)
    assert joined[2].numpy().tolist() == [4, 2]
    order = tf.gather(PLACES, [1, 0]), tf.gather(VALUES, [1, 0])
    twice = RAW.SparseAdd(
        a_indices=order[0],
        a_values=order[1],
        a_shape=SHAPE,
        b_indices=order[0],
        b_values=order[1],
        b_shape=SHAPE,
        thresh=5.0,
    )
    assert [x.numpy().tolist() for x in twice] == [[[0, 1]], [6], [2, 2]]
    dense = RAW.SparseTensorDenseAdd(
        a_indices=PLACES, a_values=VALUES, a_shape=SHAPE, b=tf.ones([2, 2])
    )
    assert dense.numpy().tolist() == [[1, 4], [3, 1]]


def test_rows_without_values_are_filled():
    places = tf.constant([[0, 1], [2, 0]], tf.int64)
    found = RAW.SparseFillEmptyRows(
        indices=places, values=VALUES, dense_shape=tf.constant([3, 2], tf.int64), default_value=-1.0
    )
    assert [x.numpy().tolist() for x in found] == [
        [[0, 1], [1, 0], [2, 0]],
        [2, -1, 3],
        [False, True, False],
        [0, 2],
    ]


def test_sums_largest_values_and_softmax():
    parts = {"input_indices": PLACES, "input_values": VALUES, "input_shape": SHAPE}
    most = RAW.SparseReduceMax(**parts, reduction_axes=[1])
    assert most.numpy().tolist() == [3, 2]
    for operation in (RAW.SparseReduceMaxSparse, RAW.SparseReduceSumSparse):
        found = operation(**parts, reduction_axes=[1])
        assert [x.numpy().tolist() for x in found] == [[[0], [1]], [3, 2], [2]]
    ordered = tf.constant([[0, 1], [1, 0]], tf.int64)
    likely = RAW.SparseSoftmax(sp_indices=ordered, sp_values=VALUES, sp_shape=SHAPE)
    assert likely.numpy().tolist() == [1, 1]


def test_stored_elements_with_a_dense_tensor():
    parts = {"sp_indices": PLACES, "sp_values": VALUES, "sp_shape": SHAPE}
    row = tf.constant([2.0, 4.0])
    values, found = VALUES.numpy(), row.numpy()[PLACES.numpy()[:, 1]]
    for operation, wanted in (
        (RAW.SparseDenseCwiseAdd, values + found),
        (RAW.SparseDenseCwiseMul, values * found),
        (RAW.SparseDenseCwiseDiv, values / found),
    ):
        assert operation(**parts, dense=row).numpy().tolist() == wanted.tolist()
    with pytest.raises(tf.errors.InvalidArgumentError, match="broadcasts dense to sparse only"):
        RAW.SparseDenseCwiseAdd(**parts, dense=tf.zeros([5]))


@pytest.mark.parametrize(
    ("indices", "values", "dense"),
    [(1, 7, [0, 7, 0]), (1, [7], [0, 7, 0]), ([0, 2], 7, [7, 0, 7]), ([[0], [2]], 7, [7, 0, 7])],
)
def test_one_index_or_one_value(indices, values, dense):
    result = tf.raw_ops.SparseToDense(
        sparse_indices=indices, output_shape=[3], sparse_values=values, default_value=0
    )
    assert result.numpy().tolist() == dense


def test_one_index_and_two_values():
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        tf.raw_ops.SparseToDense(
            sparse_indices=1, output_shape=[3], sparse_values=[7, 8], default_value=0
        )
