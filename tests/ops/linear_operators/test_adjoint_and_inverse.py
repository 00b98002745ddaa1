import numpy as np
import pytest
from linear_operator_checks import adjoint, check, check_gradients, definite, dominant, random

from gradtape.linalg import (
    LinearOperatorAdjoint,
    LinearOperatorFullMatrix,
    LinearOperatorInversion,
    LinearOperatorZeros,
)

KNOWN = {"is_positive_definite": True, "is_self_adjoint": True}


@pytest.mark.parametrize("complex_", [False, True])
def test_adjoints(complex_):
    matrix = dominant(2, 3, 3, complex_=complex_)
    operator = LinearOperatorAdjoint(LinearOperatorFullMatrix(matrix))
    check(operator, adjoint(matrix))
    check_gradients(operator)
    wide = random(2, 3, complex_=complex_)
    check(LinearOperatorAdjoint(LinearOperatorFullMatrix(wide)), adjoint(wide))


@pytest.mark.parametrize("complex_", [False, True])
def test_inverses(complex_):
    matrix = dominant(2, 3, 3, complex_=complex_)
    operator = LinearOperatorInversion(LinearOperatorFullMatrix(matrix))
    check(operator, np.linalg.inv(matrix))
    check_gradients(operator)
    matrix = definite(3, 3, complex_=complex_)
    operator = LinearOperatorInversion(LinearOperatorFullMatrix(matrix, **KNOWN))
    assert operator.is_positive_definite
    check(operator, np.linalg.inv(matrix))


def test_hints_that_contradict_the_operator():
    with pytest.raises(ValueError, match="is_non_singular"):
        LinearOperatorInversion(LinearOperatorZeros(2))
    operator = LinearOperatorFullMatrix(dominant(2, 2), is_self_adjoint=True)
    with pytest.raises(ValueError, match="is_self_adjoint"):
        LinearOperatorAdjoint(operator, is_self_adjoint=False)


def test_twice_is_the_operator_itself():
    operator = LinearOperatorFullMatrix(dominant(2, 2))
    assert operator.H.H is operator
    assert operator.inverse().inverse() is operator
