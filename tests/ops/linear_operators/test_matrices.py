import numpy as np
import pytest
from linear_operator_checks import check, check_gradients, definite, dominant, random

import gradtape as tf
from gradtape.linalg import (
    LinearOperatorFullMatrix,
    LinearOperatorLowerTriangular,
    LinearOperatorTridiag,
)

KNOWN = {"is_positive_definite": True, "is_self_adjoint": True}


@pytest.mark.parametrize("complex_", [False, True])
@pytest.mark.parametrize("shape", [(3, 3), (2, 3, 3)])
def test_a_matrix(shape, complex_):
    matrix = dominant(*shape, complex_=complex_)
    check(LinearOperatorFullMatrix(matrix), matrix)
    check_gradients(LinearOperatorFullMatrix(matrix))
    matrix = definite(*shape, complex_=complex_)
    check(LinearOperatorFullMatrix(matrix, **KNOWN), matrix)


@pytest.mark.parametrize("shape", [(2, 3), (2, 3, 2)])
def test_a_matrix_that_is_not_square(shape):
    check(LinearOperatorFullMatrix(random(*shape)), random(*shape))


@pytest.mark.parametrize("complex_", [False, True])
@pytest.mark.parametrize("shape", [(3, 3), (2, 3, 3)])
def test_a_triangle(shape, complex_):
    matrix = dominant(*shape, complex_=complex_)
    check(LinearOperatorLowerTriangular(matrix), np.tril(matrix))
    check_gradients(LinearOperatorLowerTriangular(matrix))


def test_integers_are_refused():
    with pytest.raises(TypeError, match="int32"):
        LinearOperatorFullMatrix([[1]])


def test_a_variable_is_read_when_it_is_used():
    matrix = tf.Variable([[1.0, 0.0], [0.0, 1.0]])
    operator = LinearOperatorFullMatrix(matrix)
    assert operator.trainable_variables == (matrix,)
    run = tf.function(operator.trace)
    assert run().numpy() == 2
    matrix.assign([[2.0, 0.0], [0.0, 3.0]])
    assert operator.trace().numpy() == run().numpy() == 5
    with tf.GradientTape() as tape:
        loss = operator.log_abs_determinant()
    np.testing.assert_allclose(tape.gradient(loss, matrix), [[1 / 2, 0], [0, 1 / 3]], rtol=1e-6)


@pytest.mark.parametrize("form", ["compact", "sequence", "matrix"])
@pytest.mark.parametrize("complex_", [False, True])
@pytest.mark.parametrize("batch", [(), (2,)])
def test_three_diagonals(form, batch, complex_):
    above, main, below = (random(*batch, 4, seed=i, complex_=complex_) for i in range(3))
    main = main + 4
    dense = np.zeros((*batch, 4, 4), main.dtype)
    places = np.arange(3)
    dense[..., places, places + 1] = above[..., :-1]
    dense[..., places + 1, places] = below[..., 1:]
    dense[..., np.arange(4), np.arange(4)] = main
    three = {
        "compact": np.stack([above, main, below], -2),
        "sequence": [above, main, below],
        "matrix": dense,
    }
    operator = LinearOperatorTridiag(three[form], form)
    check(operator, dense)
    if form == "compact":
        check_gradients(operator)


def test_an_unknown_format():
    with pytest.raises(ValueError, match="compact, matrix, sequence"):
        LinearOperatorTridiag(np.ones((3, 3)), "diagonal")
