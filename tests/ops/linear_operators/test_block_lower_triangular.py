import numpy as np
import pytest
from linear_operator_checks import check, check_gradients, close, dominant, random

import gradtape as tf
from gradtape.linalg import (
    LinearOperatorBlockLowerTriangular,
    LinearOperatorDiag,
    LinearOperatorFullMatrix,
    LinearOperatorIdentity,
)

Full = LinearOperatorFullMatrix


def operator_and_dense(complex_):
    def numbers(*shape, seed):
        return random(*shape, seed=seed, complex_=complex_)

    first, last = dominant(2, 2, complex_=complex_), dominant(2, 2, 2, seed=3, complex_=complex_)
    middle = numbers(1, seed=1) + 2
    below = [numbers(1, 2, seed=2), numbers(2, 2, seed=4), numbers(2, 1, seed=5)]
    operator = LinearOperatorBlockLowerTriangular(
        [
            [Full(first)],
            [Full(below[0]), LinearOperatorDiag(middle)],
            [Full(below[1]), Full(below[2]), Full(last)],
        ]
    )
    dense = np.zeros((2, 5, 5), first.dtype)
    dense[:, :2, :2], dense[:, 2:3, :2], dense[:, 2, 2] = first, below[0], middle
    dense[:, 3:, :2], dense[:, 3:, 2:3], dense[:, 3:, 3:] = below[1], below[2], last
    return operator, dense


@pytest.mark.parametrize("complex_", [False, True])
def test_blocks_below_the_diagonal(complex_):
    operator, dense = operator_and_dense(complex_)
    check(operator, dense)
    check_gradients(operator)


def test_a_list_of_blocks_gives_a_list():
    operator, dense = operator_and_dense(complex_=False)
    x = random(5)
    parts = [tf.constant(part) for part in (x[:2], x[2:3], x[3:])]
    first, second, third = operator.matvec(parts)
    product = dense @ x
    close(first, product[0, :2])
    close(second, product[0, 2:3])
    close(third, product[:, 3:])
    solution = np.linalg.solve(dense, np.stack([x, x])[..., None])
    close(operator.solvevec(parts)[2], solution[:, 3:, 0])


@pytest.mark.parametrize(
    ("rows", "error"),
    [
        ([], ValueError),
        (LinearOperatorIdentity(2), TypeError),
        ([LinearOperatorIdentity(2)], TypeError),
        ([[LinearOperatorIdentity(2)], [LinearOperatorIdentity(2)]], ValueError),
        ([[Full(np.ones((2, 3)))]], ValueError),
        (
            [[LinearOperatorIdentity(2)], [LinearOperatorIdentity(3), LinearOperatorIdentity(3)]],
            ValueError,
        ),
        (
            [[LinearOperatorIdentity(2)], [Full(np.ones((2, 2))), LinearOperatorIdentity(2)]],
            TypeError,
        ),
    ],
)
def test_blocks_that_do_not_fit(rows, error):
    with pytest.raises(error, match="LinearOperatorBlockLowerTriangular"):
        LinearOperatorBlockLowerTriangular(rows)
