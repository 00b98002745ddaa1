"""Sparse matrices by rows, against dense products."""

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.ops.sparse import csr

A = np.array([[0.0, 2.0, 0.0], [1.0, 0.0, 3.0]])


def by_rows(dense):
    parts = tf.sparse.from_dense(dense)
    return csr.sparse_tensor_to_csr_sparse_matrix(parts.indices, parts.values, parts.dense_shape)


def dense(matrix):
    parts = csr.csr_sparse_matrix_to_sparse_tensor(matrix, tf.float64)
    return tf.sparse.to_dense(tf.SparseTensor(*parts)).numpy()


@pytest.mark.parametrize("matrix", [A, np.stack([A, -A])], ids=["one", "batch"])
def test_there_and_back(matrix):
    np.testing.assert_array_equal(dense(by_rows(matrix)), matrix)


@pytest.mark.parametrize("matrix", [A, np.stack([A, -A])], ids=["one", "batch"])
@pytest.mark.parametrize("side", ["transpose", "adjoint"])
def test_products(matrix, side):
    got = csr.sparse_matrix_sparse_mat_mul(
        by_rows(matrix), by_rows(matrix), tf.float64, **{f"{side}_b": True}
    )
    np.testing.assert_allclose(dense(got), matrix @ np.swapaxes(matrix, -1, -2))


def test_shapes_that_do_not_go_together():
    with pytest.raises(tf.errors.InvalidArgumentError):
        csr.sparse_matrix_sparse_mat_mul(by_rows(A), by_rows(A), tf.float64)


def test_ranks_that_no_matrix_has():
    with pytest.raises(tf.errors.InvalidArgumentError, match="rank"):
        csr.sparse_tensor_to_csr_sparse_matrix([[0]], [1.0], [2])
