"""Sparse matrices by rows, against dense products."""

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.ops.sparse import csr

A = np.array([[0.0, 2.0, 0.0], [1.0, 0.0, 3.0]])
B = A + 1j * A[:, ::-1]
SIDES = [{}, {"transpose_b": True}, {"adjoint_b": True}, {"transpose_a": True}, {"adjoint_a": True}]


def batch_of(matrix):
    return np.stack([matrix, 2 * matrix[::-1]])


def turned(x, transpose, adjoint):
    x = np.conj(x) if adjoint else x
    return np.swapaxes(x, -1, -2) if transpose or adjoint else x


@pytest.mark.parametrize("matrix", [A, B, batch_of(A)], ids=["real", "complex", "batch"])
def test_there_and_back(matrix):
    sparse = csr.CSRSparseMatrix(tf.sparse.from_dense(matrix))
    np.testing.assert_array_equal(sparse.to_dense(), matrix)
    np.testing.assert_array_equal(csr.CSRSparseMatrix(matrix).to_dense(), matrix)
    np.testing.assert_array_equal(tf.sparse.to_dense(sparse.to_sparse_tensor()), matrix)
    np.testing.assert_array_equal(sparse.transpose().to_dense(), turned(matrix, True, False))
    np.testing.assert_array_equal(sparse.hermitian_transpose().to_dense(), turned(matrix, 1, 1))
    assert (sparse.shape, sparse.dtype) == (matrix.shape, matrix.dtype)


def test_the_number_of_elements():
    assert csr.CSRSparseMatrix(A).nnz().numpy() == 3
    batch = np.stack([A, np.zeros_like(A)])
    np.testing.assert_array_equal(csr.CSRSparseMatrix(batch).nonzero(), [3, 0])


def test_chosen_elements_of_a_dense_matrix():
    sparse = csr.CSRSparseMatrix(A, indices=[[1, 2], [0, 0]])
    np.testing.assert_array_equal(sparse.sorted_indices(), [[0, 0], [1, 2]])
    np.testing.assert_array_equal(sparse.to_sparse_tensor().values, [0.0, 3.0])


@pytest.mark.parametrize("matrix", [A, B, batch_of(A)], ids=["real", "complex", "batch"])
@pytest.mark.parametrize("side", SIDES, ids=str)
@pytest.mark.parametrize("kinds", ["ss", "sd", "ds"])
def test_products(matrix, side, kinds):
    other = matrix if side else np.swapaxes(matrix, -1, -2)
    pair = [
        csr.CSRSparseMatrix(x) if k == "s" else x
        for k, x in zip(kinds, (matrix, other), strict=True)
    ]
    got = csr.matmul(*pair, **side)
    left = turned(matrix, "transpose_a" in side, "adjoint_a" in side)
    right = turned(other, "transpose_b" in side, "adjoint_b" in side)
    if kinds == "ss":
        got = got.to_dense()
    np.testing.assert_allclose(got, left @ right)


def test_dense_products():
    np.testing.assert_allclose(csr.matmul(A, A, transpose_b=True), A @ A.T)


@pytest.mark.parametrize("kinds", ["ss", "sd", "ds"])
@pytest.mark.parametrize("matrix", [A, batch_of(A)], ids=["one", "batch"])
def test_gradients_of_products(kinds, matrix):
    def product(x, y):
        pair = [
            csr.CSRSparseMatrix(z) if k == "s" else z for k, z in zip(kinds, (x, y), strict=True)
        ]
        out = csr.matmul(*pair, transpose_b=True)
        return tf.sin(out.to_dense() if kinds == "ss" else out)

    x, y = tf.constant(matrix), tf.constant(matrix * 0.5)
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        out = product(x, y)
    got = tape.gradient(out, [x, y])
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        out = tf.sin(tf.matmul(x, y, transpose_b=True))
    stored = matrix != 0  # the other elements have no gradient
    for kind, one, other in zip(kinds, got, tape.gradient(out, [x, y]), strict=True):
        np.testing.assert_allclose(one, np.where(stored, other, 0) if kind == "s" else other)


def test_products_in_a_function():
    @tf.function(input_signature=[tf.SparseTensorSpec([None, None], tf.float64)])
    def f(x):
        matrix = csr.CSRSparseMatrix(x)
        return csr.matmul(matrix, matrix, transpose_b=True).to_dense()

    np.testing.assert_allclose(f(tf.sparse.from_dense(A)), A @ A.T)
    np.testing.assert_allclose(f(tf.sparse.from_dense(A.T)), A.T @ A)


@pytest.mark.parametrize(
    ("a", "b", "options"),
    [
        (A, A, {}),
        (A, A[0], {}),
        (A, A.T.astype("float32"), {}),
        (batch_of(A), batch_of(A)[:1], {"transpose_b": True}),
        (A, A, {"transpose_a": True, "adjoint_a": True}),
    ],
    ids=["lengths", "ranks", "dtypes", "batches", "options"],
)
def test_what_does_not_go_together(a, b, options):
    with pytest.raises(tf.errors.InvalidArgumentError):
        csr.matmul(csr.CSRSparseMatrix(a), b, **options)


def test_what_is_not_a_matrix():
    with pytest.raises(tf.errors.InvalidArgumentError, match="rank"):
        csr.CSRSparseMatrix([1.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="int32"):
        csr.CSRSparseMatrix([[1]])
    with pytest.raises(ValueError, match="indices"):
        csr.CSRSparseMatrix(tf.sparse.from_dense(A), indices=[[0, 0]])


def test_functions_of_components():
    x = tf.sparse.from_dense(A)
    matrix = csr.sparse_tensor_to_csr_sparse_matrix(x.indices, x.values, x.dense_shape)
    product = csr.sparse_matrix_sparse_mat_mul(matrix, matrix, tf.float64, transpose_b=True)
    parts = csr.csr_sparse_matrix_to_sparse_tensor(product, tf.float64)
    np.testing.assert_allclose(tf.sparse.to_dense(tf.SparseTensor(*parts)), A @ A.T)
