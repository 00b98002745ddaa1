"""Diagonals: taken, put and summed, against NumPy."""

import numpy as np
import pytest

import gradtape as tf

X = np.arange(1.0, 13.0).reshape(3, 4)


@pytest.mark.parametrize("k", [-2, -1, 0, 1, 3])
def test_one_diagonal_is_numpys(k):
    np.testing.assert_array_equal(tf.linalg.diag_part(X, k=k), np.diagonal(X, k))
    made = tf.linalg.diag(X[0], k=k)
    np.testing.assert_array_equal(made, np.diag(X[0], k))


def test_several_diagonals():
    got = tf.linalg.diag_part(X, k=(-1, 1), padding_value=-1.0)
    assert got.numpy().tolist() == [[2, 7, 12], [1, 6, 11], [5, 10, -1]]
    left = tf.linalg.diag_part(X, k=(-1, 0), align="LEFT_LEFT")
    assert left.numpy().tolist() == [[1, 6, 11], [5, 10, 0]]


def test_setting_a_diagonal():
    got = tf.linalg.set_diag(X, [0.0, 0.0, 0.0], k=1)
    want = X.copy()
    want[range(3), range(1, 4)] = 0
    np.testing.assert_array_equal(got, want)


def test_traces_and_transposes():
    assert tf.linalg.trace(X) == np.trace(X)
    z = X + 1j
    np.testing.assert_array_equal(tf.linalg.adjoint(z), z.conj().T)
    np.testing.assert_array_equal(tf.linalg.matrix_transpose(z, conjugate=True), z.conj().T)
    np.testing.assert_array_equal(tf.linalg.matrix_transpose(np.stack([X, -X]))[1], -X.T)


def test_tensors_of_twice_the_rank():
    deep = tf.linalg.tensor_diag(X[:2, :2])
    assert deep.shape == (2, 2, 2, 2)
    assert deep[1, 0, 1, 0] == X[1, 0]
    np.testing.assert_array_equal(tf.linalg.tensor_diag_part(deep), X[:2, :2])


def test_bands():
    np.testing.assert_array_equal(tf.linalg.band_part(X, -1, 0), np.tril(X))
    np.testing.assert_array_equal(tf.linalg.band_part(X, 0, -1), np.triu(X))


@pytest.mark.parametrize(
    "call",
    [
        lambda: tf.linalg.diag_part(X, k=4),
        lambda: tf.linalg.diag_part(X[0]),
        lambda: tf.linalg.set_diag(X, [1.0]),
        lambda: tf.linalg.tensor_diag_part(X),
        lambda: tf.linalg.diag_part(X, k=(1, 0)),
    ],
)
def test_what_does_not_fit(call):
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        call()
