import numpy as np
import pytest
from linear_operator_checks import adjoint, check, check_gradients, close, dominant, random

from gradtape.linalg import (
    LinearOperatorDiag,
    LinearOperatorFullMatrix,
    LinearOperatorLowRankUpdate,
    LinearOperatorZeros,
)


@pytest.mark.parametrize("complex_", [False, True])
@pytest.mark.parametrize("batch", [(), (2,)])
def test_an_update(batch, complex_):
    base = dominant(4, 4, complex_=complex_)
    u, v = (random(*batch, 4, 2, seed=i, complex_=complex_) for i in (1, 2))
    diag = random(2, complex_=complex_) + 2
    operator = LinearOperatorLowRankUpdate(LinearOperatorFullMatrix(base), u, diag, v)
    check(operator, base + (u * diag) @ adjoint(v))
    check_gradients(operator)


@pytest.mark.parametrize("complex_", [False, True])
def test_a_definite_update(complex_):
    base, u = random(4) + 2, random(4, 2, complex_=complex_)
    known = {"is_positive_definite": True, "is_self_adjoint": True}
    diagonal = LinearOperatorDiag(base.astype(u.dtype), **known)
    operator = LinearOperatorLowRankUpdate(diagonal, u)
    assert operator.is_positive_definite
    assert operator.is_self_adjoint
    check(operator, np.diag(base) + u @ adjoint(u))
    check_gradients(operator)


def test_an_update_of_a_singular_operator():
    u = dominant(3, 3)
    operator = LinearOperatorLowRankUpdate(LinearOperatorZeros(3, dtype="float64"), u)
    close(operator.determinant(), np.linalg.det(u @ u.T))
    close(operator.log_abs_determinant(), np.linalg.slogdet(u @ u.T)[1])
    close(operator.solvevec(np.ones(3)), np.linalg.solve(u @ u.T, np.ones(3)))


@pytest.mark.parametrize(
    "shapes", [{"u": (2, 2)}, {"u": (3, 2), "v": (3, 1)}, {"u": (3, 2), "diag_update": (1,)}]
)
def test_shapes_that_do_not_fit(shapes):
    base = LinearOperatorDiag(np.ones(3))
    with pytest.raises(ValueError, match="LinearOperatorLowRankUpdate"):
        LinearOperatorLowRankUpdate(base, **{k: np.ones(s) for k, s in shapes.items()})
