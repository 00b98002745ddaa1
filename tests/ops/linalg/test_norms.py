"""Norms of vectors and matrices, against NumPy."""

import numpy as np
import pytest

import gradtape as tf

X = np.array([[1.0, -2.0, 2.0], [3.0, 0.0, -4.0]])


@pytest.mark.parametrize("order", [1, 2, 3.5, np.inf])
def test_vectors(order):
    np.testing.assert_allclose(tf.norm(X, order, axis=1), np.linalg.norm(X, order, axis=1))
    np.testing.assert_allclose(tf.norm(X, order), np.linalg.norm(X.ravel(), order))


@pytest.mark.parametrize(("order", "numpys"), [("fro", "fro"), (1, 1), (2, 2), (np.inf, np.inf)])
def test_matrices(order, numpys):
    got = tf.norm(np.stack([X, X * 2]), order, axis=(-2, -1), keepdims=True)
    want = np.linalg.norm(X, numpys)
    np.testing.assert_allclose(got[:, 0, 0], [want, 2 * want])


def test_complex_numbers():
    assert tf.norm([3 + 4j, 0j]) == 5.0


def test_normalize_gives_the_norm_too():
    unit, norm = tf.linalg.normalize(X, axis=1)
    np.testing.assert_allclose(norm, [[3.0], [5.0]])
    np.testing.assert_allclose(unit, X / [[3.0], [5.0]])


@pytest.mark.parametrize(
    "call",
    [
        lambda: tf.norm(X, "far"),
        lambda: tf.norm(X, 3, axis=(0, 1)),
        lambda: tf.norm(X, -1),
        lambda: tf.norm(X, axis=(0, 1, 2)),
    ],
)
def test_orders_that_do_not_exist(call):
    with pytest.raises(ValueError, match=r"ord|axis"):
        call()
