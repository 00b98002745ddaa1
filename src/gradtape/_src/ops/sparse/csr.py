"""Sparse matrices and batches of them, as in TensorFlow's `sparse_csr_matrix_ops`.

The elements are kept in the order of rows and columns. Operations compute the products, so that
gradients flow through the elements and through dense factors.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np

from gradtape._src.base.dtypes import DType
from gradtape._src.base.errors import About
from gradtape._src.base.shapes import TensorShape
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import invalid
from gradtape._src.declare.open_graphs import with_fed_values
from gradtape._src.ops.array.scatter import gather_nd
from gradtape._src.ops.array.shaping import reshape
from gradtape._src.ops.elementwise.arithmetic import mul_p
from gradtape._src.ops.elementwise.complex_numbers import conj
from gradtape._src.ops.linalg.diagonals import matrix_transpose
from gradtape._src.ops.linalg.matmul import matmul as dense_matmul
from gradtape._src.ops.sparse.algebra import (
    _flat,
    _places,
    _shape,
    _spread,
    _take,
    from_dense,
    reorder,
    sparse_dense_matmul,
    to_dense,
    transpose,
)
from gradtape._src.ops.types.sparse_tensor import SparseTensor

ALLOWED = ("float32", "float64", "complex64", "complex128")


class CSRSparseMatrix:
    """A sparse matrix, or a batch of sparse matrices along the first axis."""

    def __init__(self, value: Any, indices: Any = None, name: str | None = None) -> None:
        """Makes a sparse matrix from a tensor.

        Args:
          value: A dense or sparse tensor of rank 2 or 3, of floats or complex numbers.
          indices: The indices of the elements of a dense `value` to store, one in each row. By
            default, all elements but zeros are stored.
          name: Accepted for compatibility.

        Raises:
          InvalidArgumentError: The rank is neither 2 nor 3, or the dtype is not allowed.
          ValueError: `value` is sparse, and `indices` is given.
        """
        if isinstance(value, SparseTensor):
            if indices is not None:
                raise ValueError("indices must be None if value is a SparseTensor.")
            _check(value, "SparseTensorToCSRSparseMatrix", "SparseTensor must have rank 2 or 3")
            self._elements = reorder(value)
            return
        dense = convert_to_tensor(value)
        _check(dense, "DenseToCSRSparseMatrix", "params must have rank 2 or 3")
        if indices is None:
            self._elements = from_dense(dense)
        else:
            places = convert_to_tensor(indices, "int64")
            elements = SparseTensor(places, gather_nd(dense, places), dense.shape)
            self._elements = reorder(elements)

    @property
    def _matrix(self) -> Self:
        """The argument of the functions of `sparse_csr_matrix_ops`."""
        return self

    @property
    def dtype(self) -> DType:
        """The dtype of the elements."""
        return self._elements.dtype

    @property
    def shape(self) -> TensorShape:
        """The shape: two lengths, after that of the batch if there is one."""
        return self._elements.shape

    @with_fed_values
    def nnz(self) -> Tensor:
        """Returns the number of elements that are stored, for each matrix of a batch."""
        places = _places(self._elements)
        if len(self.shape) == 2:
            return Tensor(np.array(len(places), np.int32))
        count = np.bincount(places[:, 0], minlength=_shape(self._elements)[0])
        return Tensor(count.astype(np.int32))

    nonzero = nnz

    def sorted_indices(self) -> Tensor:
        """Returns the indices of the elements, in the order of rows and columns."""
        return self._elements.indices

    def to_dense(self) -> Tensor:
        """Returns the dense tensor."""
        return to_dense(self._elements)

    def to_sparse_tensor(self) -> SparseTensor:
        """Returns the sparse tensor."""
        return self._elements

    def transpose(self) -> CSRSparseMatrix:
        """Returns the transposed matrix, or a batch of them."""
        rank = len(self.shape)
        return CSRSparseMatrix(transpose(self._elements, (*range(rank - 2), rank - 1, rank - 2)))

    def conj(self) -> CSRSparseMatrix:
        """Returns the matrix with conjugate elements."""
        return CSRSparseMatrix(self._elements.with_values(conj(self._elements.values)))

    def hermitian_transpose(self) -> CSRSparseMatrix:
        """Returns the conjugate transpose."""
        return self.conj().transpose()


def _check(x: Any, op: str, message: str) -> None:
    if x.dtype.name not in ALLOWED:
        raise invalid(
            f"Value for attr 'T' of {x.dtype.name} is not in the list of allowed values: "
            f"{', '.join(ALLOWED)} [Op:{op}]",
            About.DTYPES,
        )
    if len(x.shape) not in (2, 3):
        raise invalid(f"{message}; but indices has rank: {len(x.shape)} [Op:{op}]")


def _turned(x: Any, transpose: bool, adjoint: bool, which: str) -> Any:
    if transpose and adjoint:
        raise invalid(
            f"Only one of adjoint_{which} and transpose_{which} may be true.", About.VALUES
        )
    if not (transpose or adjoint):
        return x
    if isinstance(x, CSRSparseMatrix):
        return x.hermitian_transpose() if adjoint else x.transpose()
    return matrix_transpose(x, conjugate=adjoint)


def _on_diagonal(x: SparseTensor) -> SparseTensor:
    """Returns the matrix with the matrices of a batch as the blocks of its diagonal."""
    if len(x.shape) == 2:
        return x
    count, rows, columns = _shape(x)
    places = _places(x)
    inner = places[:, 1:] + places[:, :1] * np.array([rows, columns])
    shape = np.array([count * rows, count * columns], np.int64)
    return SparseTensor(Tensor(inner), x.values, Tensor(shape))


def _product_of_sparse(a: SparseTensor, b: SparseTensor) -> SparseTensor:
    """Returns the product of two matrices whose elements are in order."""
    (rows, inner), (others, columns) = _places(a).T, _places(b).T
    starts = np.searchsorted(others, np.arange(_shape(b)[0] + 1))
    counts = np.diff(starts)[inner]
    left = np.repeat(np.arange(len(rows)), counts)
    ends = np.cumsum(counts)
    right = np.arange(len(left)) + np.repeat(starts[inner] - ends + counts, counts)
    shape = (_shape(a)[0], _shape(b)[1])
    flat = _flat(np.stack([rows[left], columns[right]], -1), shape)
    unique, goals = np.unique(flat, return_inverse=True)
    places = np.stack(np.unravel_index(unique, shape), -1).astype(np.int64)
    terms = mul_p(_take(a.values, left), _take(b.values, right))
    values = _spread(terms, goals, len(unique))
    return SparseTensor(Tensor(places), values, Tensor(np.array(shape, np.int64)))


def _off_diagonal(x: SparseTensor, count: int) -> SparseTensor:
    """Returns the batch of matrices on the diagonal."""
    rows, columns = (length // count for length in _shape(x))
    places = _places(x)
    own = np.stack([places[:, 0] // rows, places[:, 0] % rows, places[:, 1] % columns], -1)
    shape = np.array([count, rows, columns], np.int64)
    return SparseTensor(Tensor(own), x.values, Tensor(shape))


def _check_product(a: Any, b: Any, op: str) -> None:
    if a.dtype != b.dtype:
        raise invalid(
            f"Input types don't match.  a.dtype == {a.dtype.name} vs. b.dtype == {b.dtype.name} "
            f"[Op:{op}]",
            About.DTYPES,
        )
    left, right = a.shape.as_list(), b.shape.as_list()
    if len(left) != len(right):
        raise invalid(f"Ranks of a and b must match, saw: {len(left)} vs. {len(right)}. [Op:{op}]")
    if left[:-2] != right[:-2]:
        raise invalid(
            f"Batch sizes of a and b must match, saw: {left[0]} vs. {right[0]}. [Op:{op}]"
        )
    if left[-1] != right[-2]:
        raise invalid(
            f"Inner product dimensions of A and B do not agree. Shapes are: {left} vs. {right} "
            f"[Op:{op}]"
        )


@with_fed_values
def matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    name: str | None = None,
) -> Tensor | CSRSparseMatrix:
    """Returns the product of two matrices or batches of them, of which both may be sparse.

    Args:
      a: A CSRSparseMatrix or a tensor.
      b: A CSRSparseMatrix or a tensor.
      transpose_a: Whether to transpose `a`.
      transpose_b: Whether to transpose `b`.
      adjoint_a: Whether to conjugate and transpose `a`.
      adjoint_b: Whether to conjugate and transpose `b`.
      name: Accepted for compatibility.

    Returns:
      A CSRSparseMatrix if both arguments are, otherwise a tensor.

    Raises:
      InvalidArgumentError: The dtypes, ranks or lengths do not match.
    """
    sparse = [isinstance(x, CSRSparseMatrix) for x in (a, b)]
    if not any(sparse):
        return dense_matmul(a, b, transpose_a, transpose_b, adjoint_a, adjoint_b)
    left, right = (x if isinstance(x, CSRSparseMatrix) else convert_to_tensor(x) for x in (a, b))
    left = _turned(left, transpose_a, adjoint_a, "a")
    right = _turned(right, transpose_b, adjoint_b, "b")
    _check_product(left, right, f"SparseMatrix{'Sparse' if all(sparse) else ''}MatMul")
    parts = [
        _on_diagonal(x._elements) if isinstance(x, CSRSparseMatrix) else x for x in (left, right)
    ]
    batch, rows, columns = left.shape[:-2], left.shape[-2], right.shape[-1]
    if all(sparse):
        product = _product_of_sparse(*parts)
        return CSRSparseMatrix(_off_diagonal(product, batch[0]) if len(batch) else product)
    if sparse[0]:
        flat = sparse_dense_matmul(parts[0], reshape(right, (-1, columns)))
        return reshape(flat, (*batch, rows, columns))
    flat = sparse_dense_matmul(
        parts[1], reshape(matrix_transpose(left, conjugate=True), (-1, rows)), adjoint_a=True
    )
    return matrix_transpose(reshape(flat, (*batch, columns, rows)), conjugate=True)


class CSRSparseMatrixToSparseTensor(NamedTuple):
    """The components of a sparse tensor."""

    indices: Tensor
    values: Tensor
    dense_shape: Tensor


def sparse_tensor_to_csr_sparse_matrix(
    indices: Any, values: Any, dense_shape: Any, name: str | None = None
) -> CSRSparseMatrix:
    """Converts the components of a sparse tensor of rank 2 or 3 to a matrix or a batch.

    Raises:
      InvalidArgumentError: The rank is neither 2 nor 3.
    """
    return CSRSparseMatrix(SparseTensor(indices, values, dense_shape))


def sparse_matrix_sparse_mat_mul(
    a: CSRSparseMatrix,
    b: CSRSparseMatrix,
    type: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    name: str | None = None,
) -> Tensor | CSRSparseMatrix:
    """Returns the product of two sparse matrices, or of two batches of the same size.

    Raises:
      InvalidArgumentError: The batches or the inner lengths differ.
    """
    return matmul(a, b, transpose_a, transpose_b, adjoint_a, adjoint_b)


def csr_sparse_matrix_to_sparse_tensor(
    sparse_matrix: CSRSparseMatrix, type: Any, name: str | None = None
) -> CSRSparseMatrixToSparseTensor:
    """Returns the components of the sparse tensor for a matrix or a batch."""
    elements = sparse_matrix.to_sparse_tensor()
    return CSRSparseMatrixToSparseTensor(elements.indices, elements.values, elements.dense_shape)
