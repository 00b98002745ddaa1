"""Functions of matrices, against SciPy."""

import numpy as np
import pytest
from scipy import linalg

import gradtape as tf

RNG = np.random.default_rng(0)
A = RNG.normal(size=(3, 3)) / 4
POSITIVE = A @ A.T + np.eye(3)


def test_exponential_logarithm_and_root():
    np.testing.assert_allclose(tf.linalg.expm(A), linalg.expm(A))
    np.testing.assert_allclose(tf.linalg.logm(POSITIVE + 0j), linalg.logm(POSITIVE), atol=1e-12)
    np.testing.assert_allclose(tf.linalg.sqrtm(POSITIVE), linalg.sqrtm(POSITIVE))


def test_the_exponential_of_a_stack():
    both = tf.linalg.expm(np.stack([A, 20 * A]))
    np.testing.assert_allclose(both[1], linalg.expm(20 * A), rtol=1e-9)


def test_ranks():
    x = np.array([[[1.0, 2.0], [2.0, 4.0]], [[1.0, 0.0], [0.0, 1.0]], [[0.0, 0.0], [0.0, 0.0]]])
    assert tf.linalg.matrix_rank(x).numpy().tolist() == [1, 2, 0]
    assert tf.linalg.matrix_rank([[1.0, 0.0], [0.0, 0.1]], tol=0.5) == 1


def test_pseudo_inverses():
    wide = RNG.normal(size=(2, 4))
    np.testing.assert_allclose(tf.linalg.pinv(wide), np.linalg.pinv(wide))
    singular = np.outer([1.0, 2.0], [3.0, 4.0])
    np.testing.assert_allclose(tf.linalg.pinv(singular), np.linalg.pinv(singular), atol=1e-12)


@pytest.mark.parametrize("function", [tf.linalg.expm, tf.linalg.sqrtm, tf.linalg.logm])
def test_matrices_are_square(function):
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        function(tf.ones([2, 3], tf.complex128))


def test_no_vectors_are_asked_for_with_none():
    values = tf.linalg.svd([[3.0, 0.0], [0.0, 4.0]], compute_uv=None)
    assert values.numpy().tolist() == [4, 3]
    with pytest.raises(TypeError, match="Expected bool for argument 'compute_uv'"):
        tf.linalg.svd([[1.0]], compute_uv=0)
