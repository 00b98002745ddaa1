"""Operations on sparse tensors with TensorFlow 1's arguments, on placeholders too."""

import numpy as np
import pytest

import gradtape as tf

v1 = tf.compat.v1


def test_old_names_of_arguments():
    x = tf.SparseTensor([[0, 1], [1, 0]], [5, 7], [2, 2])
    assert v1.sparse_reduce_sum(x, reduction_axes=1).numpy().tolist() == [5, 7]
    assert v1.sparse_reduce_max(x, 0, keep_dims=True).numpy().tolist() == [[7, 5]]
    assert v1.sparse_reduce_sum_sparse(x, 1).values.numpy().tolist() == [5, 7]
    assert v1.sparse_add(x, x, thresh=11).values.numpy().tolist() == [14]
    assert v1.sparse_concat(0, [x, x]).dense_shape.numpy().tolist() == [4, 2]


def test_sparse_placeholders():
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.sparse_placeholder(tf.float32, [None, 2])
        y = v1.sparse_tensor_dense_matmul(x, tf.constant([[1.0], [10.0]]))
        z = tf.sparse.to_dense(v1.sparse_add(x, x))
        value = v1.SparseTensorValue([[0, 1], [2, 0]], [2.0, 3.0], [3, 2])
        product, twice = session.run([y, z], {x: value})
    assert product.tolist() == [[20.0], [0.0], [3.0]]
    assert twice.tolist() == [[0.0, 4.0], [0.0, 0.0], [6.0, 0.0]]


def test_sums_of_what_is_fed():
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.sparse_placeholder(tf.float32, [None, 3])
        value = v1.SparseTensorValue([[0, 1], [1, 2]], [2.0, 3.0], [2, 3])
        product = tf.sparse.sparse_dense_matmul(x, tf.ones([3, 2]))
        wanted = [
            v1.sparse_reduce_sum(x, axis=0),
            tf.sparse.reduce_sum(x),
            tf.sparse.add(x, tf.ones([2, 3])),
            tf.gradients(product, x.values)[0],
        ]
        columns, total, added, gradient = session.run(wanted, {x: value})
        again = session.run(tf.sparse.add(x, x), {x: value})
    assert columns.tolist() == [0.0, 2.0, 3.0]
    assert total == 5.0
    assert added.tolist() == [[1.0, 3.0, 1.0], [1.0, 1.0, 4.0]]
    assert gradient.tolist() == [2.0, 2.0]
    assert isinstance(again, v1.SparseTensorValue)
    assert [x.tolist() for x in again] == [[[0, 1], [1, 2]], [4.0, 6.0], [2, 3]]


def test_more_old_arguments():
    x = tf.sparse.from_dense([[1, 0, 2, 3]])
    for given in ({"axis": 1}, {"split_dim": 1}):
        parts = v1.sparse_split(sp_input=x, num_split=2, **given)
        assert [tf.sparse.to_dense(p).numpy().tolist() for p in parts] == [[[1, 0]], [[2, 3]]]
    with pytest.raises(ValueError, match="Keyword arguments are required"):
        v1.sparse_split(x, 2, 1)
    with pytest.raises(ValueError, match="axis is required"):
        v1.sparse_split(sp_input=x, num_split=2)
    largest = v1.sparse_reduce_max_sparse(x, 1)
    assert (largest.values.numpy().tolist(), largest.dense_shape.numpy().tolist()) == ([3], [1])
    assert v1.serialize_sparse(x, "name", tf.string).shape == (3,)
    assert v1.io.serialize_many_sparse(x, "name").shape == (1, 3)


def test_segments_of_rows():
    rows = [[1.0, 2.0], [3.0, 4.0]]
    assert v1.sparse_segment_sum(rows, [0, 1], [0, 0]).numpy().tolist() == [[4.0, 6.0]]
    found = v1.sparse.segment_mean(rows, [0, 1], [0, 1], "name", 3)
    assert found.numpy().tolist() == [[1.0, 2.0], [3.0, 4.0], [0.0, 0.0]]
    found = v1.sparse_segment_sqrt_n(rows, [0, 1, 0, 1], [0, 0, 0, 0], "name")
    assert found.numpy().tolist() == [[4.0, 6.0]]


@pytest.mark.parametrize("name", ["sum", "mean", "sqrt_n"])
def test_gradients_of_sparse_segments_may_be_sparse(name):
    function = getattr(v1, f"sparse_segment_{name}")
    x = tf.ones([4, 2])
    found = []
    for sparse in (False, True):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x, [0, 3], [0, 0], sparse_gradient=sparse)
        found.append(tape.gradient(y, x))
    assert isinstance(found[1], tf.IndexedSlices)
    np.testing.assert_allclose(tf.convert_to_tensor(found[1]), found[0])
