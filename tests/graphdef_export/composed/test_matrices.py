"""The programs of functions of matrices."""

import numpy as np

import gradtape as tf
from gradtape._src.graphdef_export.composed import matrices


def test_programs_agree_with_the_functions_for_batches():
    x = tf.constant(np.random.default_rng(0).random((2, 3, 3)))
    b, factors = x[..., :2] + 1, tf.linalg.lu(x)
    near = {"rtol": 1e-10, "atol": 1e-12}
    np.testing.assert_allclose(
        matrices.solution(*factors, b, False), tf.linalg.lu_solve(*factors, b), **near
    )
    np.testing.assert_allclose(matrices.product_of_factors(*factors, False), x, **near)
    np.testing.assert_allclose(matrices.inverse(*factors, False), tf.linalg.inv(x), **near)


def test_small_singular_values_count_as_zero():
    x = tf.constant([[1.0, 2.0], [2.0, 4.0], [0.0, 0.0]])
    assert matrices.rank(x, None, False).numpy() == 1
    np.testing.assert_allclose(
        matrices.pseudo_inverse(x, None, False), tf.linalg.pinv(x), atol=1e-6
    )


def test_complex_matrices():
    x = tf.constant(np.array([[1, 2j, 0], [1j, 1, 3]]))
    np.testing.assert_allclose(
        matrices.pseudo_inverse(x, None, False), tf.linalg.pinv(x), atol=1e-12
    )
