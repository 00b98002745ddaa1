"""Products of arrays and polynomials, against NumPy."""

import numpy as np
import pytest
from numpy_checks import as_numpy

X = np.array([[0.5, -1.25, 2.0], [3.0, 0.25, -0.75]])
Y = np.array([[1.5, 2.0, -0.5], [0.5, 4.0, 3.0]])
CALLS = {
    "matmul": lambda n: n.matmul(X, Y.T),
    "matmul of vectors": lambda n: n.matmul(X[0], Y[0]),
    "matmul of a vector and a matrix": lambda n: n.matmul(X[0], Y.T),
    "tensordot": lambda n: n.tensordot(X, Y, ([0, 1], [0, 1])),
    "dot": lambda n: n.dot(X, Y.T),
    "dot with a number": lambda n: n.dot(X, 2.0),
    "inner": lambda n: n.inner(X, Y),
    "outer": lambda n: n.outer(X[0], Y[1]),
    "vdot": lambda n: n.vdot(X[0] + 1j, Y[0]),
    "kron": lambda n: n.kron(X, Y),
    "cross": lambda n: n.cross(X, Y),
    "einsum": lambda n: n.einsum("ij,kj->ik", X, Y),
    "vander": lambda n: n.vander(X[0], 4),
    "vander, increasing": lambda n: n.vander(X[0], increasing=True),
    "polyval": lambda n: n.polyval(X[0], Y),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_products_are_those_of_numpy(call):
    as_numpy(call)
