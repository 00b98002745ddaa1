"""`tf.linalg.experimental.conjugate_gradient`: TensorFlow 2.21's states, and NumPy's solutions."""

import numpy as np
import pytest

import gradtape as tf

solve = tf.linalg.experimental.conjugate_gradient
A = np.array([[4.0, 1, 0], [1, 3, 1], [0, 1, 2]])
B = np.array([1.0, 2, 3])


def operator(matrix, **hints):
    hints = {"is_self_adjoint": True, "is_positive_definite": True, **hints}
    return tf.linalg.LinearOperatorFullMatrix(matrix, **hints)


def test_the_state_after_one_step_is_tensorflows():
    state = solve(operator(A), B, max_iter=1)
    assert int(state.i) == 1
    np.testing.assert_allclose(state.x, [0.28, 0.56, 0.84])
    np.testing.assert_allclose(state.r, [-0.68, -0.8, 0.76])
    np.testing.assert_allclose(state.p, [-0.56, -0.56, 1.12])
    np.testing.assert_allclose(state.gamma, 1.68)


def test_the_start_and_a_preconditioner_change_the_steps_but_not_the_solution():
    start = solve(operator(A), B, x=tf.ones(3, tf.float64), tol=1e-12, max_iter=2)
    np.testing.assert_allclose(start.x, [0.16765053, 0.19126328, 1.44273908], rtol=1e-6)
    scale = tf.linalg.LinearOperatorDiag(1 / np.diag(A))
    for preconditioner in (None, scale):
        found = solve(operator(A), B, preconditioner=preconditioner)
        np.testing.assert_allclose(found.x, np.linalg.solve(A, B))


def test_batches_zeros_and_gradients():
    batch = solve(operator(np.stack([A, 2 * A])), np.stack([B, B]))
    np.testing.assert_allclose(batch.x[1], np.linalg.solve(2 * A, B))
    assert int(solve(operator(A), 0 * B).i) == 0
    b = tf.Variable(B)

    @tf.function
    def solution():
        with tf.GradientTape() as tape:
            x = solve(operator(A), b).x
        return x, tape.gradient(x, b)

    x, gradient = solution()
    np.testing.assert_allclose(x, np.linalg.solve(A, B))
    np.testing.assert_allclose(gradient, np.linalg.solve(A, np.ones(3)), rtol=1e-6)


def test_operators_must_be_marked_and_shapes_must_match():
    with pytest.raises(ValueError, match="self-adjoint, positive definite"):
        solve(operator(A, is_positive_definite=None), B)
    with pytest.raises(ValueError, match="Dimensions 3 and 4"):
        solve(operator(A), np.ones(4))
