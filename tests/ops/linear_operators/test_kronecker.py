import numpy as np
import pytest
from linear_operator_checks import check, check_gradients, definite, dominant, random

from gradtape.errors import InvalidArgumentError
from gradtape.linalg import (
    LinearOperatorDiag,
    LinearOperatorFullMatrix,
    LinearOperatorKronecker,
)

KNOWN = {"is_positive_definite": True, "is_self_adjoint": True}


@pytest.mark.parametrize("complex_", [False, True])
def test_a_product_of_three(complex_):
    a, c = dominant(2, 2, complex_=complex_), dominant(3, 3, seed=1, complex_=complex_)
    b = random(2, complex_=complex_) + 2
    operator = LinearOperatorKronecker(
        [LinearOperatorFullMatrix(a), LinearOperatorDiag(b), LinearOperatorFullMatrix(c)]
    )
    check(operator, np.kron(np.kron(a, np.diag(b)), c))
    check_gradients(operator)


def test_a_stack_of_definite_products():
    a, b = definite(2, 2, 2), definite(3, 3)
    operator = LinearOperatorKronecker([LinearOperatorFullMatrix(m, **KNOWN) for m in (a, b)])
    assert operator.is_positive_definite
    check(operator, np.stack([np.kron(part, b) for part in a]))


def test_factors_that_are_not_square():
    a, b = random(2, 3), random(3, 1)
    operator = LinearOperatorKronecker([LinearOperatorFullMatrix(m) for m in (a, b)])
    check(operator, np.kron(a, b))
    square = LinearOperatorKronecker([LinearOperatorFullMatrix(m) for m in (a, a.T)])
    assert square.is_square
    with pytest.raises(InvalidArgumentError, match="not square"):
        square.assert_non_singular()


def test_no_columns():
    operator = LinearOperatorKronecker([LinearOperatorFullMatrix(random(2, 3))] * 2)
    assert operator.matmul(np.zeros((9, 0))).shape == (4, 0)
