"""Sparse matrices in CSR format, as in TensorFlow's `sparse_csr_matrix_ops`, and batches of them.

Products are computed by SciPy. These operations have no gradients.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gradtape._src.base.dtypes import as_dtype
from gradtape._src.compute.axis_sums import HALVES
from gradtape._src.core.convert import tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import invalid


class CSRSparseMatrix(NamedTuple):
    """A matrix, or a batch of matrices along the first axis, in SciPy's CSR format."""

    matrices: list[Any]
    batched: bool
    dtype: Any


class CSRSparseMatrixToSparseTensor(NamedTuple):
    """The components of a sparse tensor."""

    indices: Tensor
    values: Tensor
    dense_shape: Tensor


def _scipy(values: Any, places: Any, shape: tuple[int, ...]) -> Any:
    from scipy import sparse

    wide = values.astype(np.float32) if values.dtype.type in HALVES else values
    return sparse.csr_array((wide, tuple(places.T)), shape=shape)


def sparse_tensor_to_csr_sparse_matrix(
    indices: Any, values: Any, dense_shape: Any, name: str | None = None
) -> CSRSparseMatrix:
    """Converts a sparse tensor of rank 2 or 3 to CSR format.

    Raises:
      InvalidArgumentError: The rank is neither 2 nor 3.
    """
    places, numbers = np.asarray(tensor(indices)._value), np.asarray(tensor(values)._value)
    shape = tuple(np.asarray(tensor(dense_shape)._value).tolist())
    if len(shape) == 2:
        return CSRSparseMatrix([_scipy(numbers, places, shape)], False, numbers.dtype)
    if len(shape) != 3:
        raise invalid(
            f"SparseTensor must have rank 2 or 3; but indices has rank: {len(shape)} "
            "[Op:SparseTensorToCSRSparseMatrix]"
        )
    chosen = [places[:, 0] == k for k in range(shape[0])]
    matrices = [_scipy(numbers[at], places[at, 1:], shape[1:]) for at in chosen]
    return CSRSparseMatrix(matrices, True, numbers.dtype)


def sparse_matrix_sparse_mat_mul(
    a: CSRSparseMatrix,
    b: CSRSparseMatrix,
    type: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    name: str | None = None,
) -> CSRSparseMatrix:
    """Returns the product of two sparse matrices, or of two batches of the same size.

    Raises:
      InvalidArgumentError: The batches or the inner lengths differ.
    """

    def turned(x: Any, transpose: bool, adjoint: bool) -> Any:
        return x.conj().T if adjoint else x.T if transpose else x

    left = [turned(x, transpose_a, adjoint_a) for x in a.matrices]
    right = [turned(x, transpose_b, adjoint_b) for x in b.matrices]
    if len(left) != len(right):
        raise invalid(
            f"Batch sizes of A and B do not agree: {len(left)} vs. {len(right)} "
            "[Op:SparseMatrixSparseMatMul]"
        )
    for x, y in zip(left, right, strict=True):
        if x.shape[1] != y.shape[0]:
            raise invalid(
                f"Inner product dimensions of A and B do not agree. Shapes are: {x.shape} vs. "
                f"{y.shape} [Op:SparseMatrixSparseMatMul]"
            )
    products = [(x @ y).tocsr() for x, y in zip(left, right, strict=True)]
    return CSRSparseMatrix(products, a.batched, as_dtype(type).np_dtype)


def csr_sparse_matrix_to_sparse_tensor(
    sparse_matrix: CSRSparseMatrix, type: Any, name: str | None = None
) -> CSRSparseMatrixToSparseTensor:
    """Returns the components of the sparse tensor for a matrix in CSR format."""
    places, numbers = [], []
    for k, matrix in enumerate(sparse_matrix.matrices):
        matrix.sort_indices()
        triples = matrix.tocoo()
        own = [triples.row, triples.col]
        places.append(np.stack([np.full_like(own[0], k), *own][not sparse_matrix.batched :], -1))
        numbers.append(triples.data)
    shape = sparse_matrix.matrices[0].shape
    whole = (len(numbers), *shape) if sparse_matrix.batched else shape
    return CSRSparseMatrixToSparseTensor(
        Tensor(np.concatenate(places).astype(np.int64)),
        Tensor(np.concatenate(numbers).astype(as_dtype(type).np_dtype)),
        Tensor(np.array(whole, np.int64)),
    )
