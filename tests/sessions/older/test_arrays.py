"""Operations on arrays, with TensorFlow 1's order of arguments; programs are in the probes."""

import pytest

import gradtape as tf

v1 = tf.compat.v1


def test_arguments_by_position_are_those_of_version_1():
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    assert v1.shape(x, "name", tf.int64).dtype is tf.int64
    assert v1.gather(x, [1], None, "name", 1).numpy().tolist() == [[2.0], [4.0]]
    assert v1.boolean_mask(x, [True, False], "name", 1).numpy().tolist() == [[1.0], [3.0]]
    padded = v1.pad(x, [[0, 0], [0, 1]], "CONSTANT", "name", 9.0)
    assert padded.numpy().tolist() == [[1.0, 2.0, 9.0], [3.0, 4.0, 9.0]]
    turned = v1.transpose(tf.constant([[1j]]), [1, 0], "name", conjugate=True)
    assert turned.numpy().tolist() == [[-1j]]


def test_blocks():
    x = tf.reshape(tf.range(4.0), [1, 2, 2, 1])
    blocks = v1.space_to_batch(x, [[0, 0], [0, 0]], 2)
    assert blocks.shape == [4, 1, 1, 1]
    assert v1.batch_to_space(blocks, [[0, 0], [0, 0]], 2).numpy().tolist() == x.numpy().tolist()
    with pytest.raises(ValueError, match="Cannot specify both"):
        v1.batch_to_space(blocks, [[0, 0], [0, 0]], 2, block_shape=[2, 2])


def test_a_constant_must_have_its_shape_if_that_is_verified():
    assert v1.constant(1.0, shape=[2]).numpy().tolist() == [1.0, 1.0]
    with pytest.raises(TypeError, match="Expected Tensor's shape"):
        v1.constant(1.0, shape=[2], verify_shape=True)


def test_sparse_tensors_and_rows_stay_what_they_are():
    sparse = tf.SparseTensor([[0]], [1.0], [2])
    rows = tf.IndexedSlices(tf.ones([1, 2]), tf.constant([0]))
    assert v1.convert_to_tensor_or_sparse_tensor(sparse) is sparse
    assert v1.convert_to_tensor_or_indexed_slices(rows) is rows
    assert v1.convert_to_tensor_or_sparse_tensor([1, 2]).dtype is tf.int32


def test_sequences_reversed_by_old_names():
    x = tf.constant([[1, 2, 3], [4, 5, 6]])
    found = v1.reverse_sequence(x, [2, 3], seq_dim=1, batch_dim=0)
    assert found.numpy().tolist() == [[2, 1, 3], [6, 5, 4]]
