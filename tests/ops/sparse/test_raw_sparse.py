"""Raw operations on the parts of sparse tensors."""

import numpy as np

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
