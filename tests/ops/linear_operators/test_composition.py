import numpy as np
import pytest
from linear_operator_checks import adjoint, check, check_gradients, dominant, random

from gradtape.linalg import (
    LinearOperatorComposition,
    LinearOperatorDiag,
    LinearOperatorFullMatrix,
    LinearOperatorIdentity,
)


@pytest.mark.parametrize("complex_", [False, True])
def test_a_product(complex_):
    first, second = dominant(2, 3, 3, complex_=complex_), random(3, complex_=complex_) + 2
    operator = LinearOperatorComposition(
        [LinearOperatorFullMatrix(first), LinearOperatorDiag(second)]
    )
    check(operator, first * second)
    check_gradients(operator)


def test_a_square_product_of_operators_that_are_not_square():
    first, second = random(2, 3), random(3, 2, seed=1)
    operator = LinearOperatorComposition(
        [LinearOperatorFullMatrix(first), LinearOperatorFullMatrix(second)]
    )
    check(operator, first @ second)


def test_a_matrix_and_its_adjoint_are_positive_definite():
    matrix = dominant(3, 3)
    half = LinearOperatorFullMatrix(matrix, is_non_singular=True)
    product = half @ half.H
    assert product.is_self_adjoint
    assert product.is_positive_definite
    check(product, matrix @ adjoint(matrix))


@pytest.mark.parametrize(
    ("operators", "error"),
    [
        ([], ValueError),
        (LinearOperatorIdentity(2), TypeError),
        ([LinearOperatorIdentity(2), LinearOperatorIdentity(2, dtype="float64")], TypeError),
    ],
)
def test_operators_that_make_no_product(operators, error):
    with pytest.raises(error, match="operators"):
        LinearOperatorComposition(operators)


def test_shapes_that_do_not_fit():
    operator = LinearOperatorComposition([LinearOperatorIdentity(2), LinearOperatorIdentity(3)])
    with pytest.raises(ValueError, match="2 columns and of 3 rows"):
        operator.to_dense()


def test_no_numbers_are_needed_to_know_a_shape():
    operator = LinearOperatorComposition(
        [LinearOperatorFullMatrix(np.ones((4, 2, 3))), LinearOperatorDiag(np.ones(3))]
    )
    assert operator.shape == [4, 2, 3]
