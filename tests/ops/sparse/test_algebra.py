"""Sparse tensors joined, added and multiplied."""

import numpy as np
import pytest

import gradtape as tf


def test_sparse_concat_expands_only_where_it_is_asked_to():
    a, b = tf.sparse.from_dense([[1, 0], [0, 2]]), tf.sparse.from_dense([[1, 0, 3]])
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.sparse.concat(0, [a, b])
    joined = tf.sparse.concat(0, [a, b], expand_nonconcat_dims=True)
    assert joined.shape == [3, 3]


@pytest.mark.parametrize("adjoint_a", [False, True])
@pytest.mark.parametrize("adjoint_b", [False, True])
@pytest.mark.parametrize("sparse_first", [False, True])
@pytest.mark.parametrize("traced", [False, True])
def test_products_with_adjoints_of_complex_matrices(adjoint_a, adjoint_b, sparse_first, traced):
    a = np.array([[1 + 2j, 0], [0.5, 3 - 1j]])
    b = np.array([[1j, 2], [3, 4 - 1j]])
    first, second = (a, b) if sparse_first else (b, a)
    want = (first.conj().T if adjoint_a else first) @ (second.conj().T if adjoint_b else second)
    signature = [
        tf.SparseTensorSpec([None, 2], tf.complex128),
        tf.TensorSpec([None, 2], tf.complex128),
    ]

    def product(x, y):
        pair = (x, y) if sparse_first else (y, x)
        return tf.sparse.sparse_dense_matmul(*pair, adjoint_a, adjoint_b)

    function = tf.function(product, input_signature=signature) if traced else product
    np.testing.assert_allclose(function(tf.sparse.from_dense(a), tf.constant(b)), want)
    if traced:
        assert function.get_concrete_function().graph.get_operations()
