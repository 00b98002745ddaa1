"""Ragged and sparse values where tensors are expected; expected values are TensorFlow's."""

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.ops.sparse import csr

TABLE = tf.constant([[1.0, 2], [3, 4], [5, 6]])
ROWS = tf.ragged.constant([[1.0, 2], [3.0], [4, 5, 6]])
PLACES = tf.ragged.constant([[2], [0, 1, 1]])


def test_ragged_indices():
    taken = tf.gather(TABLE, PLACES).to_list()
    assert taken == [[[5, 6]], [[1, 2], [3, 4], [3, 4]]]
    assert tf.nn.embedding_lookup(TABLE, PLACES).to_list() == taken
    columns = tf.gather(TABLE, tf.ragged.constant([[0], [1, 1]]), axis=-1)
    assert columns.to_list() == [[[1], [2, 2]], [[3], [4, 4]], [[5], [6, 6]]]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"= 5 is not in \[0, 3\)"):
        tf.gather(TABLE, tf.ragged.constant([[0], [5]]))


def test_rows_of_a_ragged_tensor():
    assert tf.gather(ROWS, [2, 0]).to_list() == [[4, 5, 6], [1, 2]]
    assert tf.gather(ROWS, [[2, 0], [1, 1]]).to_list() == [[[4, 5, 6], [1, 2]], [[3], [3]]]
    assert tf.gather(ROWS, PLACES).to_list() == [[[4, 5, 6]], [[1, 2], [3], [3]]]


def test_gradients_through_ragged_indices():
    with tf.GradientTape() as tape:
        tape.watch(TABLE)
        loss = tf.reduce_sum(tf.gather(TABLE, PLACES).flat_values ** 2)
    gradient = tf.convert_to_tensor(tape.gradient(loss, TABLE))
    assert gradient.numpy().tolist() == [[2, 4], [12, 16], [10, 12]]


def test_casts_and_fillings():
    assert tf.cast(ROWS, tf.int32).to_list() == [[1, 2], [3], [4, 5, 6]]
    assert tf.ones_like(ROWS).to_list() == [[1, 1], [1], [1, 1, 1]]
    sparse = tf.cast(tf.sparse.from_dense(TABLE), tf.int32)
    assert sparse.dtype == tf.int32
    assert tf.shape(sparse).numpy().tolist() == [3, 2]
    with pytest.raises(ValueError, match="SparseTensor"):
        tf.ones_like(sparse)


def test_shapes():
    shape = tf.shape(ROWS)
    assert repr(shape) == "<DynamicRaggedShape lengths=[3, (2, 1, 3)] num_row_partitions=1>"
    assert shape[0].numpy() == 3
    with pytest.raises(ValueError, match="not uniform"):
        shape[1]
    assert (tf.rank(ROWS).numpy(), tf.size(ROWS).numpy()) == (2, 6)


def test_making_them():
    make = tf.RaggedTensor
    assert make.from_tensor([[1, 2, 0], [3, 0, 0]], padding=0).to_list() == [[1, 2], [3]]
    assert make.from_tensor([[1, 2, 0], [3, 0, 0]], lengths=[1, 3]).to_list() == [[1], [3, 0, 0]]
    cube = [[[1, 2], [0, 0]], [[3, 0], [1, 1]]]
    assert make.from_tensor(cube, ragged_rank=2).to_list() == cube
    assert make.from_value_rowids([1, 2, 3], [0, 0, 2], nrows=4).to_list() == [[1, 2], [], [3], []]
    assert make.from_row_starts([1, 2, 3], [0, 2]).to_list() == [[1, 2], [3]]
    assert make.from_row_limits([1, 2, 3], [0, 3]).to_list() == [[], [1, 2, 3]]
    assert make.from_uniform_row_length([1, 2, 3, 4], 2).to_list() == [[1, 2], [3, 4]]
    nested = make.from_nested_row_splits([1, 2, 3], [[0, 2], [0, 1, 3]])
    assert nested.to_list() == [[[1], [2, 3]]]
    splits = tf.experimental.RowPartition.from_value_rowids([0, 0, 2], nrows=4).row_splits()
    np.testing.assert_array_equal(splits, [0, 2, 2, 3, 3])
    with pytest.raises(ValueError, match="not both"):
        make.from_tensor([[1]], lengths=[1], padding=0)


def test_operators():
    assert (ROWS * 2 + 1).to_list() == [[3, 5], [7], [9, 11, 13]]
    assert (1 - ROWS + ROWS).to_list() == [[1, 1], [1], [1, 1, 1]]
    assert (ROWS > 2).to_list() == [[False, False], [True], [True, True, True]]
    assert (ROWS + tf.constant([[1.0], [2.0], [3.0]])).to_list() == [[2, 3], [5], [7, 8, 9]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="rows of the same lengths"):
        ROWS + tf.ragged.constant([[1.0], [2.0]])
    sparse = tf.sparse.from_dense([[0.0, 3], [-2, 0]])
    assert tf.sparse.to_dense(sparse / 2).numpy().tolist() == [[0, 1.5], [-1, 0]]
    assert tf.sparse.to_dense(sparse * [1.0, 5]).numpy().tolist() == [[0, 15], [-2, 0]]


def test_ragged_and_sparse_elements_of_datasets():
    sparse = tf.sparse.from_dense([[0, 1], [2, 0]])
    made = tf.data.Dataset.from_generator(
        lambda: iter([(PLACES, sparse)] * 2),
        output_signature=(
            tf.RaggedTensorSpec([2, None], tf.int32),
            tf.SparseTensorSpec([2, None], tf.int32),
        ),
    )
    for ragged, other in made.map(lambda a, b: (a + 1, b)):
        assert ragged.to_list() == [[3], [1, 2, 2]]
        assert other.values.numpy().tolist() == [1, 2]
    batch = next(iter(tf.data.Dataset.from_tensors(sparse).repeat(2).batch(2)))
    assert tf.sparse.to_dense(batch).numpy().tolist() == [[[0, 1], [2, 0]]] * 2


def test_functions_of_each_row():
    sums = tf.map_fn(tf.reduce_sum, ROWS, fn_output_signature=tf.float32)
    assert sums.numpy().tolist() == [3, 3, 15]
    left, right = np.arange(12.0).reshape(2, 2, 3), np.arange(6.0).reshape(2, 3, 1)
    products = tf.map_fn(
        lambda pair: tf.sparse.sparse_dense_matmul(*pair),
        (tf.sparse.from_dense(left), right),
        fn_output_signature=tf.float64,
    )
    np.testing.assert_array_equal(products, left @ right)
    swapped = tf.sparse.sparse_dense_matmul(left[0], tf.sparse.from_dense(right[0]))
    np.testing.assert_array_equal(swapped, left[0] @ right[0])


@pytest.mark.parametrize("lead", [(), (2,)])
def test_products_of_sparse_matrices_by_rows(lead):
    a, b = np.arange(-3.0, 3).reshape(2, 3), np.arange(-2.0, 10).reshape(3, 4)
    a, b = np.broadcast_to(a, (*lead, 2, 3)), np.broadcast_to(b, (*lead, 3, 4))
    parts = [
        csr.sparse_tensor_to_csr_sparse_matrix(x.indices, x.values, x.dense_shape)
        for x in map(tf.sparse.from_dense, (a, b))
    ]
    product = csr.sparse_matrix_sparse_mat_mul(*parts, tf.float64)
    back = csr.csr_sparse_matrix_to_sparse_tensor(product, tf.float64)
    np.testing.assert_array_equal(tf.sparse.to_dense(tf.SparseTensor(*back)), a @ b)


def test_taking_rows():
    assert ROWS[-1].numpy().tolist() == [4, 5, 6]
    assert ROWS[1:].to_list() == [[3], [4, 5, 6]]
    assert ROWS[:, :1].to_list() == [[1], [3], [4]]
    assert ROWS[:, 1:].to_list() == [[2], [], [5, 6]]
    assert ROWS[0, 1].numpy() == 2
    assert [row.numpy().tolist() for row in ROWS] == [[1, 2], [3], [4, 5, 6]]
    nested = tf.ragged.constant([[[1], [2, 3]], [[4, 5, 6]]])
    assert nested[:, :, 1:].to_list() == [[[], [3]], [[5, 6]]]
    assert nested[0].to_list() == [[1], [2, 3]]
    assert ROWS[..., :1].to_list() == ROWS[:, :1].to_list()
    with pytest.raises(ValueError, match="inner ragged dimension"):
        ROWS[:, 0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="out of bounds"):
        ROWS[3]


def test_rows_in_other_words():
    assert ROWS.value_rowids().numpy().tolist() == [0, 0, 1, 2, 2, 2]
    assert ROWS.row_starts().numpy().tolist() == [0, 2, 3]
    assert ROWS.row_limits().numpy().tolist() == [2, 3, 6]
    assert ROWS.bounding_shape().numpy().tolist() == [3, 3]
    assert [s.numpy().tolist() for s in ROWS.nested_row_splits] == [[0, 2, 3, 6]]
    assert [s.numpy().tolist() for s in ROWS.nested_row_lengths()] == [[2, 1, 3]]
    nested = tf.ragged.constant([[[1], [2, 3]], [[4, 5, 6]]])
    assert nested.merge_dims(0, 1).to_list() == [[1], [2, 3], [4, 5, 6]]
    assert nested.merge_dims(1, 2).to_list() == [[1, 2, 3], [4, 5, 6]]
    assert nested.merge_dims(0, -1).numpy().tolist() == [1, 2, 3, 4, 5, 6]
