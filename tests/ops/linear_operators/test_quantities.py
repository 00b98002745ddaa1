import numpy as np
import pytest
from linear_operator_checks import close, definite, dominant, random

from gradtape._src.ops.linear_operators.quantities import Quantities
from gradtape.errors import InvalidArgumentError
from gradtape.linalg import LinearOperatorFullMatrix


@pytest.mark.parametrize("complex_", [False, True])
def test_numbers_of_dense_matrices(complex_):
    matrix = definite(2, 3, 3, complex_=complex_)
    operator = LinearOperatorFullMatrix(matrix, is_self_adjoint=True, is_positive_definite=True)
    assert isinstance(operator, Quantities)
    close(operator.determinant(), np.linalg.det(matrix))
    close(operator.log_abs_determinant(), np.linalg.slogdet(matrix)[1])
    close(operator.eigvals(), np.linalg.eigvalsh(matrix))
    close(operator.cond(), np.linalg.cond(matrix))
    close(operator.trace(), np.trace(matrix, axis1=1, axis2=2))
    for check in ("non_singular", "self_adjoint", "positive_definite"):
        getattr(operator, f"assert_{check}")()


def test_conditions_and_checks_of_matrices_that_are_not_square():
    matrix = random(2, 3)
    operator = LinearOperatorFullMatrix(matrix)
    close(operator.cond(), np.linalg.cond(matrix))
    operator.assert_non_singular()
    with pytest.raises(InvalidArgumentError, match="Singular"):
        LinearOperatorFullMatrix(np.ones((2, 3))).assert_non_singular()
    with pytest.raises(NotImplementedError, match="not be square"):
        operator.determinant()


def test_eigenvalues_are_those_of_self_adjoint_operators():
    with pytest.raises(NotImplementedError, match="is_self_adjoint"):
        LinearOperatorFullMatrix(dominant(2, 2)).eigvals()


def test_what_is_added_has_the_dtype():
    with pytest.raises(TypeError, match="float32"):
        LinearOperatorFullMatrix(dominant(2, 2)).add_to_tensor(np.ones((2, 2), np.float32))
