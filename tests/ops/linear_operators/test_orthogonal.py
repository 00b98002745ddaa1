import numpy as np
import pytest
from linear_operator_checks import check, check_gradients, close, random

import gradtape as tf
from gradtape.errors import InvalidArgumentError
from gradtape.linalg import LinearOperatorHouseholder, LinearOperatorPermutation


@pytest.mark.parametrize("perm", [[2, 0, 1, 3], [[1, 0, 2], [1, 2, 0]]])
def test_permutations(perm):
    operator = LinearOperatorPermutation(perm, "float64")
    check(operator, np.eye(np.shape(perm)[-1])[np.asarray(perm)])


def test_a_permutation_that_is_known_when_a_function_runs():
    @tf.function(input_signature=[tf.TensorSpec([3], "int32")])
    def run(perm):
        operator = LinearOperatorPermutation(perm, "float64")
        return operator.determinant(), operator.matvec(np.arange(3.0))

    sign, moved = run(tf.constant([1, 0, 2]))
    close(sign, -1)
    close(moved, [1, 0, 2])


@pytest.mark.parametrize(
    ("perm", "error"),
    [(1, ValueError), ([1.0, 0.0], TypeError), ([0, 0], ValueError), ([1, 2], ValueError)],
)
def test_what_is_no_permutation(perm, error):
    with pytest.raises(error, match="perm"):
        LinearOperatorPermutation(perm)


@pytest.mark.parametrize("complex_", [False, True])
@pytest.mark.parametrize("shape", [(3,), (2, 3)])
def test_reflections(shape, complex_):
    axis = random(*shape, complex_=complex_) + 1
    unit = axis / np.linalg.norm(axis, axis=-1, keepdims=True)
    dense = np.eye(3) - 2 * unit[..., :, None] * np.conj(unit)[..., None, :]
    operator = LinearOperatorHouseholder(axis)
    check(operator, dense)
    check_gradients(operator, ["matmul", "solve"])
    with pytest.raises(InvalidArgumentError, match="positive definite"):
        operator.assert_positive_definite()
