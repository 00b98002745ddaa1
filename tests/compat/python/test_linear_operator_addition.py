import itertools

import numpy as np
import pytest
from linear_operator_checks import close, definite, dominant, random

from gradtape._src.compat.python.linear_operator_addition import add_operators
from gradtape.linalg import (
    LinearOperatorComposition,
    LinearOperatorDiag,
    LinearOperatorFullMatrix,
    LinearOperatorIdentity,
    LinearOperatorLowerTriangular,
    LinearOperatorScaledIdentity,
)

KNOWN = {"is_positive_definite": True, "is_self_adjoint": True}
MAKERS = {
    "identity": lambda: LinearOperatorIdentity(3, dtype="float64"),
    "scaled": lambda: LinearOperatorScaledIdentity(3, np.array([2.0, 3.0])),
    "diag": lambda: LinearOperatorDiag(random(3) + 2, **KNOWN),
    "lower": lambda: LinearOperatorLowerTriangular(dominant(3, 3)),
    "full": lambda: LinearOperatorFullMatrix(definite(2, 3, 3), **KNOWN),
}
RESULTS = [
    LinearOperatorScaledIdentity,
    LinearOperatorScaledIdentity,
    LinearOperatorDiag,
    LinearOperatorLowerTriangular,
    LinearOperatorFullMatrix,
]


@pytest.mark.parametrize(("one", "two"), list(itertools.product(MAKERS, repeat=2)))
def test_sums(one, two):
    a, b = MAKERS[one](), MAKERS[two]()
    (found,) = add_operators([a, b])
    close(found.to_dense(), a.to_dense() + b.to_dense())
    places = [list(MAKERS).index(name) for name in (one, two)]
    assert type(found) is RESULTS[max(places)]
    assert bool(found.is_positive_definite) == bool(
        a.is_positive_definite and b.is_positive_definite
    )


def test_names():
    (found,) = add_operators([MAKERS["diag"](), MAKERS["full"]()], operator_name="total")
    assert found.name == "total"
    (found,) = add_operators([MAKERS["diag"](), MAKERS["full"]()])
    assert found.name == "Add/LinearOperatorDiag__LinearOperatorFullMatrix/"


def test_a_single_operator_is_its_own_sum():
    operator = LinearOperatorComposition([MAKERS["diag"]()])
    assert add_operators([operator]) == [operator]


@pytest.mark.parametrize(
    ("operators", "error"),
    [
        ([], ValueError),
        (MAKERS["diag"](), TypeError),
        ([LinearOperatorComposition([MAKERS["diag"]()]), MAKERS["diag"]()], TypeError),
        ([LinearOperatorIdentity(2), LinearOperatorIdentity(3)], ValueError),
        ([LinearOperatorIdentity(2, [2]), LinearOperatorIdentity(2, [3])], ValueError),
    ],
)
def test_what_has_no_sum(operators, error):
    with pytest.raises(error):
        add_operators(operators)
