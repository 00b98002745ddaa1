import numpy as np
import pytest
from linear_operator_checks import check, check_gradients, close, dominant, random

import gradtape as tf
from gradtape.linalg import (
    LinearOperatorBlockDiag,
    LinearOperatorDiag,
    LinearOperatorFullMatrix,
)


def blocks_of(*matrices):
    batch = np.broadcast_shapes(*[m.shape[:-2] for m in matrices])
    rows, columns = (sum(m.shape[axis] for m in matrices) for axis in (-2, -1))
    dense = np.zeros((*batch, rows, columns), matrices[0].dtype)
    i = j = 0
    for m in matrices:
        dense[..., i : i + m.shape[-2], j : j + m.shape[-1]] = m
        i, j = i + m.shape[-2], j + m.shape[-1]
    return dense


@pytest.mark.parametrize("complex_", [False, True])
def test_blocks(complex_):
    first, second = dominant(2, 2, 2, complex_=complex_), random(3, complex_=complex_) + 2
    operator = LinearOperatorBlockDiag(
        [LinearOperatorFullMatrix(first), LinearOperatorDiag(second)]
    )
    check(operator, blocks_of(first, np.diag(second)))
    check_gradients(operator)


def test_blocks_that_are_not_square():
    first, second = random(1, 2), random(2, 1)
    operator = LinearOperatorBlockDiag(
        [LinearOperatorFullMatrix(m) for m in (first, second)], is_square=None
    )
    close(operator.to_dense(), blocks_of(first, second))
    close(operator.diag_part(), np.diagonal(blocks_of(first, second)))
    close(operator.trace(), np.trace(blocks_of(first, second)))
    close(operator.determinant(), np.linalg.det(blocks_of(first, second)))


def test_a_list_of_blocks_gives_a_list():
    matrix, diag = dominant(2, 2), random(1) + 2
    operator = LinearOperatorBlockDiag([LinearOperatorFullMatrix(matrix), LinearOperatorDiag(diag)])
    x, y = random(2, 3), random(1, 3)
    for parts in ([tf.constant(x), tf.constant(y)], [x, y]):
        first, second = operator.matmul(parts)
        close(first, matrix @ x)
        close(second, diag[:, None] * y)
        first, second = operator.solve(parts, adjoint=True)
        close(first, np.linalg.solve(matrix.T, x))
        close(second, y / diag[:, None])
    first, second = operator.matvec([tf.constant(x[:, 0]), tf.constant(y[:, 0])])
    close(first, matrix @ x[:, 0])
    first, second = operator.solvevec([tf.constant(x[:, 0]), tf.constant(y[:, 0])])
    close(second, y[:, 0] / diag)


def test_blocks_that_do_not_fit():
    operator = LinearOperatorBlockDiag([LinearOperatorDiag([1.0, 2.0]), LinearOperatorDiag([3.0])])
    with pytest.raises(ValueError, match="2 blocks"):
        operator.matmul([tf.ones([2, 1])] * 3)
    with pytest.raises(ValueError, match="not compatible"):
        operator.matmul([tf.ones([2, 1])] * 2)
    close(operator.matmul([[1.0], [1.0], [1.0]]), [[1.0], [2.0], [3.0]])
