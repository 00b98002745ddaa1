import numpy as np
import pytest
from linear_operator_checks import check, check_gradients, random

from gradtape.linalg import LinearOperatorDiag


@pytest.mark.parametrize("complex_", [False, True])
@pytest.mark.parametrize("shape", [(3,), (2, 3)])
def test_a_diagonal(shape, complex_):
    diag = random(*shape, complex_=complex_) + 2
    operator = LinearOperatorDiag(diag)
    check(operator, diag[..., None] * np.eye(3))
    check_gradients(operator)


def test_a_positive_diagonal():
    diag = random(2, 3) + 2
    known = {"is_positive_definite": True, "is_self_adjoint": True}
    check(LinearOperatorDiag(diag, **known), diag[..., None] * np.eye(3))


def test_a_zero_on_the_diagonal_is_reported():
    with pytest.raises(Exception, match="zero values"):
        LinearOperatorDiag([0.0, 1.0]).assert_non_singular()
    with pytest.raises(Exception, match="positive"):
        LinearOperatorDiag([-1.0, 1.0]).assert_positive_definite()
    with pytest.raises(Exception, match="imaginary"):
        LinearOperatorDiag([1j, 1.0 + 0j]).assert_self_adjoint()
