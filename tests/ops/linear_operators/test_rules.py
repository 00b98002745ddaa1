import numpy as np
import pytest
from linear_operator_checks import close, definite, dominant, random

import gradtape as tf
from gradtape.linalg import (
    LinearOperatorBlockDiag,
    LinearOperatorBlockLowerTriangular,
    LinearOperatorCirculant,
    LinearOperatorComposition,
    LinearOperatorDiag,
    LinearOperatorFullMatrix,
    LinearOperatorHouseholder,
    LinearOperatorIdentity,
    LinearOperatorInversion,
    LinearOperatorKronecker,
    LinearOperatorLowerTriangular,
    LinearOperatorScaledIdentity,
    LinearOperatorZeros,
)

KNOWN = {"is_positive_definite": True, "is_self_adjoint": True}
DIAG = random(4) + 2
MAKERS = {
    "identity": lambda: LinearOperatorIdentity(4, dtype="float64"),
    "scaled": lambda: LinearOperatorScaledIdentity(4, 2.5 * np.ones(())),
    "zeros": lambda: LinearOperatorZeros(4, dtype="float64"),
    "diag": lambda: LinearOperatorDiag(DIAG),
    "full": lambda: LinearOperatorFullMatrix(dominant(4, 4)),
    "lower": lambda: LinearOperatorLowerTriangular(dominant(4, 4)),
    "blocks": lambda: LinearOperatorBlockDiag(
        [LinearOperatorFullMatrix(dominant(2, 2)), LinearOperatorDiag(DIAG[:2])]
    ),
    "other blocks": lambda: LinearOperatorBlockDiag(
        [LinearOperatorFullMatrix(dominant(3, 3)), LinearOperatorDiag(DIAG[:1])]
    ),
    "circulant": lambda: LinearOperatorCirculant(np.fft.fft(DIAG), "float64"),
    "real circulant": lambda: LinearOperatorCirculant(np.array([3.0, 1.0, 2.0, 1.0]), "float64"),
    "inversion": lambda: LinearOperatorInversion(LinearOperatorFullMatrix(dominant(4, 4))),
    "reflection": lambda: LinearOperatorHouseholder(DIAG),
}
SPECIAL = {
    ("scaled", "scaled"): LinearOperatorScaledIdentity,
    ("scaled", "diag"): LinearOperatorDiag,
    ("diag", "scaled"): LinearOperatorDiag,
    ("diag", "diag"): LinearOperatorDiag,
    ("diag", "lower"): LinearOperatorLowerTriangular,
    ("blocks", "blocks"): LinearOperatorBlockDiag,
    ("other blocks", "other blocks"): LinearOperatorBlockDiag,
    ("circulant", "circulant"): LinearOperatorCirculant,
    ("circulant", "real circulant"): LinearOperatorCirculant,
    ("real circulant", "circulant"): LinearOperatorCirculant,
    ("real circulant", "real circulant"): LinearOperatorCirculant,
}


@pytest.mark.parametrize("left", MAKERS)
@pytest.mark.parametrize("right", MAKERS)
def test_products_and_solutions(left, right):
    one, two = MAKERS[left](), MAKERS[right]()
    product = one @ two
    close(product.to_dense(), one.to_dense() @ two.to_dense())
    kind = SPECIAL.get((left, right), LinearOperatorComposition)
    plain = not {left, right} & {"identity", "zeros"} and (left, right) != ("lower", "diag")
    if plain:
        assert type(product) is kind
    if left == "zeros":
        return
    solution = one.solve(two)
    close(solution.to_dense(), np.linalg.solve(one.to_dense(), two.to_dense()))
    if plain:
        assert type(solution) is kind


def test_products_with_zeros_that_are_not_square():
    wide = LinearOperatorZeros(2, 4, [3], "float64", is_square=False, is_self_adjoint=False)
    full = LinearOperatorFullMatrix(dominant(4, 4))
    assert (wide @ full).shape == (3, 2, 4)
    assert (full @ wide.H).shape == (3, 4, 2)
    assert (wide @ wide.H).shape == (3, 2, 2)


def test_inverses_and_factors_of_each_part():
    a, b = definite(2, 2), definite(3, 3)
    parts = [LinearOperatorFullMatrix(m, **KNOWN) for m in (a, b)]
    for kind in (LinearOperatorBlockDiag, LinearOperatorKronecker):
        operator = kind(parts)
        assert type(operator.inverse()) is kind
        assert type(operator.cholesky()) is kind
        half = operator.cholesky()
        close((half @ half.H).to_dense(), operator.to_dense())
    triangle = LinearOperatorBlockLowerTriangular(
        [[parts[0]], [LinearOperatorFullMatrix(random(3, 2)), parts[1]]]
    )
    assert type(triangle.inverse()) is LinearOperatorBlockLowerTriangular
    close(triangle.inverse().to_dense(), np.linalg.inv(triangle.to_dense()))


def test_the_factor_of_a_product_that_has_it():
    half = LinearOperatorLowerTriangular(dominant(3, 3), is_non_singular=True)
    assert (half @ half.H).cholesky() is half


def test_functions_of_operators():
    matrix = definite(3, 3)
    operator = LinearOperatorFullMatrix(matrix, **KNOWN)
    x = random(3, 2)
    close(tf.linalg.det(operator), np.linalg.det(matrix))
    close(tf.linalg.logdet(operator), np.linalg.slogdet(matrix)[1])
    close(tf.linalg.trace(operator), np.trace(matrix))
    close(tf.linalg.diag_part(operator), np.diagonal(matrix))
    close(tf.linalg.adjoint(operator).to_dense(), matrix)
    close(tf.linalg.inv(operator).to_dense(), np.linalg.inv(matrix))
    close(tf.linalg.cholesky(operator).to_dense(), np.linalg.cholesky(matrix))
    close(tf.linalg.solve(operator, x), np.linalg.solve(matrix, x))
    close(tf.matmul(operator, x), matrix @ x)
    close(tf.matmul(x, operator, adjoint_a=True), x.T @ matrix)
    close(tf.matmul(operator, operator).to_dense(), matrix @ matrix)
    with pytest.raises(ValueError, match="adjoint"):
        tf.matmul(operator, x, transpose_a=True)
    with pytest.raises(ValueError, match="rhs"):
        tf.linalg.solve(tf.constant(matrix), operator)
    with pytest.raises(ValueError, match="hints"):
        tf.linalg.logdet(LinearOperatorFullMatrix(matrix))
