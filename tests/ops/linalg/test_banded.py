"""Matrices given by their diagonals, and by their factors."""

import numpy as np
import pytest
from tolerances import close

import gradtape as tf

RNG = np.random.default_rng(0)
D = RNG.normal(size=(3, 4)) + np.array([[0], [4], [0]])
B = RNG.normal(size=(4, 2))
FULL = np.diag(D[1]) + np.diag(D[0][:-1], 1) + np.diag(D[2][1:], -1)


@pytest.mark.parametrize(
    ("diagonals", "form"),
    [
        (D, "compact"),
        ((D[0], D[1], D[2]), "sequence"),
        ((D[0][:-1], D[1], D[2][1:]), "sequence"),
        (FULL, "matrix"),
    ],
)
def test_tridiagonal(diagonals, form):
    close(tf.linalg.tridiagonal_solve(diagonals, B, form), np.linalg.solve(FULL, B))
    close(tf.linalg.tridiagonal_solve(diagonals, B[:, 0], form), np.linalg.solve(FULL, B[:, 0]))
    close(
        tf.linalg.tridiagonal_solve(diagonals, B.T, form, transpose_rhs=True),
        np.linalg.solve(FULL, B),
    )
    if len(diagonals[0]) == 4:
        close(tf.linalg.tridiagonal_matmul(diagonals, B, form), FULL @ B)


def test_tridiagonal_right_hand_side_conjugated():
    z = B + 1j
    d = tf.constant(D.astype(complex))
    want = np.linalg.solve(FULL, z.conj())
    close(tf.linalg.tridiagonal_solve(d, z, conjugate_rhs=True), want)
    close(tf.linalg.tridiagonal_solve(d, z.T, transpose_rhs=True, conjugate_rhs=True), want)


@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("adjoint", [True, False])
def test_banded_triangular(lower, adjoint):
    bands = RNG.normal(size=(3, 4))
    bands[0 if lower else -1] += 4
    sign = -1 if lower else 1
    full = np.zeros((4, 4))
    for k in range(3):
        row = bands[k if lower else 2 - k]
        full += np.diag(row[k:] if lower else row[: 4 - k], sign * k)
    want = np.linalg.solve(full.T if adjoint else full, B)
    close(tf.linalg.banded_triangular_solve(bands, B, lower, adjoint), want)


def test_eigenvalues():
    a, b = RNG.normal(size=5), RNG.normal(size=4)
    full = np.diag(a) + np.diag(b, 1) + np.diag(b, -1)
    e = np.linalg.eigvalsh(full)
    close(tf.linalg.eigh_tridiagonal(a, b), e)
    close(tf.linalg.eigh_tridiagonal(a, b, select="i", select_range=(1, 2)), e[1:3])
    close(
        tf.linalg.eigh_tridiagonal(a, b, select="v", select_range=(e[0] + 1e-9, e[3] + 1e-9)),
        e[1:4],
    )
    close(tf.linalg.eigh_tridiagonal(a + 0j, b * 1j), e)
    values, vectors = tf.linalg.eigh_tridiagonal(a, b, eigvals_only=False)
    close(full @ vectors.numpy(), vectors * values)
    x = tf.constant(a)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.linalg.eigh_tridiagonal(x, b)
    close(tape.gradient(y, x), np.ones(5))  # the trace


def test_factors():
    a = RNG.normal(size=(2, 3, 3))
    factors, perm = tf.linalg.lu(a)
    close(tf.linalg.lu_reconstruct(factors, perm), a)
    close(tf.linalg.lu_matrix_inverse(factors, perm), np.linalg.inv(a))
    rhs = RNG.normal(size=(3, 2))
    close(tf.linalg.lu_solve(factors, perm, rhs), np.linalg.solve(a, rhs))


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (lambda: tf.linalg.tridiagonal_solve(D, B[:3]), ValueError, "left-hand"),
        (lambda: tf.linalg.tridiagonal_solve(D, B, "x"), ValueError, "diagonals_format: x"),
        (lambda: tf.linalg.tridiagonal_solve(D[:2], B), ValueError, "3, n"),
        (
            lambda: tf.linalg.tridiagonal_solve(D * 0, B),
            tf.errors.InvalidArgumentError,
            "singular",
        ),
        (
            lambda: tf.linalg.tridiagonal_matmul(D, B[:3]),
            tf.errors.InvalidArgumentError,
            "superdiagonal shape",
        ),
        (
            lambda: tf.linalg.banded_triangular_solve(D * 0, B),
            tf.errors.InvalidArgumentError,
            "not invertible",
        ),
        (lambda: tf.linalg.eigh_tridiagonal(B[0], B[0, 1:], select="q"), ValueError, "select"),
        (lambda: tf.linalg.lu_solve(FULL, [0, 1, 2, 3], B[:3]), ValueError, "rhs.shape"),
        (
            lambda: tf.linalg.lu_reconstruct(FULL, [0, 0, 2, 3], validate_args=True),
            tf.errors.InvalidArgumentError,
            "permutation",
        ),
    ],
)
def test_errors(call, error, match):
    with pytest.raises(error, match=match):
        call()


def test_diagonals_of_another_shape_are_refused():
    vector, matrix, rhs = [1.0, 2.0], [[1.0, 2.0], [3.0, 4.0]], [[1.0], [1.0]]
    for diagonals in (vector, matrix):
        with pytest.raises(tf.errors.InvalidArgumentError, match="compact form"):
            tf.linalg.tridiagonal_matmul(diagonals, rhs, "compact")
    with pytest.raises(tf.errors.InvalidArgumentError, match="compact form"):
        tf.linalg.tridiagonal_solve(vector, rhs)
