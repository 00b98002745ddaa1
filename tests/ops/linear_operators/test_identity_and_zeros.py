import numpy as np
import pytest
from linear_operator_checks import check, check_gradients, close, random

import gradtape as tf
from gradtape.linalg import (
    LinearOperatorIdentity,
    LinearOperatorScaledIdentity,
    LinearOperatorZeros,
)


@pytest.mark.parametrize("batch", [(), (2,)])
def test_the_identity(batch):
    operator = LinearOperatorIdentity(3, list(batch), "float64")
    check(operator, np.broadcast_to(np.eye(3), (*batch, 3, 3)))


@pytest.mark.parametrize("complex_", [False, True])
@pytest.mark.parametrize("batch", [(), (2,)])
def test_multiples_of_the_identity(batch, complex_):
    factor = random(*batch, complex_=complex_) + 2
    operator = LinearOperatorScaledIdentity(3, factor)
    check(operator, np.asarray(factor)[..., None, None] * np.eye(3))
    check_gradients(operator)


def test_zeros():
    operator = LinearOperatorZeros(2, 3, [2], "float64", is_square=False, is_self_adjoint=False)
    check(operator, np.zeros((2, 2, 3)))
    square = LinearOperatorZeros(2, dtype="float64")
    close(square.determinant(), 0)
    close(square.log_abs_determinant(), -np.inf)
    close(square.eigvals(), [0, 0])
    with pytest.raises(NotImplementedError, match="singular"):
        square.solvevec(np.ones(2))
    with pytest.raises(ValueError, match="singular"):
        square.inverse()


@pytest.mark.parametrize("make", [LinearOperatorIdentity, LinearOperatorZeros])
@pytest.mark.parametrize(
    ("size", "batch", "error"),
    [
        (1.5, None, TypeError),
        ([1], None, ValueError),
        (-1, None, ValueError),
        (1, [1.5], TypeError),
        (1, 1, ValueError),
        (1, [-1], ValueError),
    ],
)
def test_sizes_that_are_none(make, size, batch, error):
    with pytest.raises(error, match=r"num_rows|batch_shape"):
        make(size, batch_shape=batch)


def test_a_variable_is_no_size():
    with pytest.raises(TypeError, match="variable"):
        LinearOperatorIdentity(tf.Variable(1))
