"""Systems of linear equations, inverses and determinants, against NumPy."""

import numpy as np
import pytest

import gradtape as tf

RNG = np.random.default_rng(0)
A = RNG.normal(size=(2, 3, 3))
B = RNG.normal(size=(2, 3, 2))
POSITIVE = A @ np.swapaxes(A, 1, 2) + np.eye(3)


def test_systems():
    np.testing.assert_allclose(tf.linalg.solve(A, B), np.linalg.solve(A, B))
    turned = np.swapaxes(A, 1, 2)
    np.testing.assert_allclose(tf.linalg.solve(A, B, adjoint=True), np.linalg.solve(turned, B))


@pytest.mark.parametrize("lower", [True, False])
def test_triangular_systems_read_one_half(lower):
    half = np.tril(A) if lower else np.triu(A)
    np.testing.assert_allclose(
        tf.linalg.triangular_solve(A, B, lower=lower), np.linalg.solve(half, B)
    )


def test_factors_of_cholesky_solve():
    factors = np.linalg.cholesky(POSITIVE)
    np.testing.assert_allclose(tf.linalg.cholesky_solve(factors, B), np.linalg.solve(POSITIVE, B))


def test_determinants():
    np.testing.assert_allclose(tf.linalg.det(A), np.linalg.det(A))
    np.testing.assert_allclose(tf.linalg.logdet(POSITIVE), np.linalg.slogdet(POSITIVE)[1])
    sign, log = tf.linalg.slogdet(A)
    np.testing.assert_allclose(sign * np.exp(log), np.linalg.det(A))


def test_inverses():
    np.testing.assert_allclose(tf.linalg.inv(A) @ A, np.broadcast_to(np.eye(3), A.shape), atol=1e-9)
    with pytest.raises(tf.errors.InvalidArgumentError, match="not invertible"):
        tf.linalg.inv(tf.zeros([2, 2]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="not invertible"):
        tf.linalg.solve(tf.zeros([2, 2]), tf.ones([2, 1]))


def test_least_squares():
    wide, tall = RNG.normal(size=(3, 5)), RNG.normal(size=(5, 3))
    for matrix in (wide, tall):
        b = RNG.normal(size=(len(matrix), 1))
        got = tf.linalg.lstsq(matrix, b)
        np.testing.assert_allclose(got, np.linalg.lstsq(matrix, b, rcond=None)[0], atol=1e-9)


@pytest.mark.parametrize(
    "call",
    [
        lambda: tf.linalg.solve(A, B[:, :2]),
        lambda: tf.linalg.inv(A[:, :2]),
        lambda: tf.linalg.det(A[0, 0]),
    ],
)
def test_shapes_that_do_not_fit(call):
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        call()
