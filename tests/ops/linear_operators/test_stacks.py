import numpy as np
import pytest
from linear_operator_checks import adjoint, close, dominant, random

import gradtape as tf
from gradtape._src.ops.linear_operators import stacks
from gradtape.errors import InvalidArgumentError


@pytest.mark.parametrize("left", [(), (2,), (3, 1)])
@pytest.mark.parametrize("right", [(), (2,), (3, 2)])
@pytest.mark.parametrize("flag", [False, True])
def test_systems_broadcast(left, right, flag):
    matrix, rhs = dominant(*left, 3, 3, complex_=True), random(*right, 3, 2, complex_=True)
    turned = adjoint(matrix) if flag else matrix
    close(stacks.solved(matrix, rhs, flag), np.linalg.inv(turned) @ rhs)
    lower = np.tril(matrix)
    turned = adjoint(lower) if flag else lower
    close(stacks.triangular_solved(matrix, rhs, flag), np.linalg.inv(turned) @ rhs)


def test_axes_that_do_not_broadcast():
    with pytest.raises(InvalidArgumentError, match="must broadcast"):
        stacks.with_batch(tf.ones([2, 1, 1]), (3,))
    assert stacks.with_batch(tf.ones([2, 1]), (3,)).shape == (3, 2, 1)
    x = tf.ones([3, 2, 1])
    assert stacks.with_batch(x, (3,)) is x


def test_checks_of_numbers():
    stacks.assert_no_zeros([1.0, 1j], "zero")
    with pytest.raises(InvalidArgumentError, match="zero"):
        stacks.assert_no_zeros([1.0, 0j], "zero")
    stacks.assert_real([1.0, 2.0], "imaginary")
    with pytest.raises(InvalidArgumentError, match="imaginary"):
        stacks.assert_real([1.0, 1j], "imaginary")
