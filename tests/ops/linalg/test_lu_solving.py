"""Solutions by the factors of `linalg.lu`, compared with NumPy."""

import numpy as np
import pytest

import gradtape as tf

A = np.random.default_rng(0).normal(size=(2, 3, 3))
B = np.random.default_rng(1).normal(size=(3, 2))


def test_the_matrix_comes_back():
    np.testing.assert_allclose(tf.linalg.lu_reconstruct(*tf.linalg.lu(A)), A)


def test_systems_and_inverses():
    factors = tf.linalg.lu(A)
    np.testing.assert_allclose(tf.linalg.lu_solve(*factors, B[None]), np.linalg.solve(A, B[None]))
    np.testing.assert_allclose(tf.linalg.lu_matrix_inverse(*factors), np.linalg.inv(A))


def test_gradients_flow_to_the_factors_and_the_right_hand_side():
    lower_upper, places = tf.linalg.lu(A[0])
    b = tf.constant(B)
    with tf.GradientTape() as tape:
        tape.watch([lower_upper, b])
        y = tf.reduce_sum(tf.linalg.lu_solve(lower_upper, places, b))
    by_factors, by_b = tape.gradient(y, [lower_upper, b])
    np.testing.assert_allclose(by_b, np.linalg.inv(A[0]).sum(0)[:, None] + np.zeros((1, 2)))
    assert by_factors.shape == (3, 3)
    assert np.all(np.isfinite(by_factors))


@pytest.mark.parametrize(
    ("factors", "perm", "rhs"),
    [
        (A[0][0], [0], B),
        (A[0][:2], [0, 1], B),
        (A[0], [[0, 1, 2]], B),
        (A[0], [0, 1], B),
        (A[0], [0, 1, 2], B[0]),
        (A[0], [0, 1, 2], B[:2]),
    ],
)
def test_shapes_that_do_not_fit(factors, perm, rhs):
    with pytest.raises(ValueError, match="must"):
        tf.linalg.lu_solve(factors, perm, rhs, validate_args=True)


def test_what_is_no_permutation():
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.linalg.lu_reconstruct(A[0], [0, 0, 2], validate_args=True)
