"""Roots and fixed points, and their derivatives against closed forms."""

import numpy as np
import pytest
from scipy import optimize

import gradtape as tf

root, fixed_point = tf.autodiff.implicit_root, tf.autodiff.fixed_point


def square_root(a, **kwargs):
    return root(lambda x, a: x * x - a, tf.ones_like(a), a, **kwargs)


@pytest.mark.parametrize("dtype", [tf.float32, tf.float64])
@pytest.mark.parametrize("linear_solver", ["dense", "gmres"])
def test_first_derivative(dtype, linear_solver):
    a = tf.constant([2.0, 9.0, 0.25], dtype)
    with tf.GradientTape() as tape:
        tape.watch(a)
        x = square_root(a, linear_solver=linear_solver)
    assert x.dtype is dtype
    np.testing.assert_allclose(x, np.sqrt(a), rtol=1e-6)
    np.testing.assert_allclose(tape.gradient(x, a), 0.5 / np.sqrt(a), rtol=1e-5)


@pytest.mark.parametrize("linear_solver", ["dense", "gmres"])
def test_third_derivative(linear_solver):
    a = tf.constant(2.0, tf.float64)
    with tf.GradientTape() as t3:
        t3.watch(a)
        with tf.GradientTape() as t2:
            t2.watch(a)
            with tf.GradientTape() as t1:
                t1.watch(a)
                x = square_root(a, linear_solver=linear_solver)
            d1 = t1.gradient(x, a)
        d2 = t2.gradient(d1, a)
    d3 = t3.gradient(d2, a)
    np.testing.assert_allclose(d1, 0.5 * 2**-0.5)
    np.testing.assert_allclose(d2, -0.25 * 2**-1.5)
    np.testing.assert_allclose(d3, 0.375 * 2**-2.5)


def test_forward_mode_and_jacobian():
    a = tf.constant([2.0, 9.0], tf.float64)
    with tf.autodiff.ForwardAccumulator(a, tf.constant([1.0, 0.0], tf.float64)) as acc:
        x = square_root(a)
    np.testing.assert_allclose(acc.jvp(x), [0.5 / np.sqrt(2), 0])
    want = np.diag(0.5 / np.sqrt(a.numpy()))
    np.testing.assert_allclose(tf.autodiff.jacobian(square_root, a), want)
    gmres = lambda a: square_root(a, linear_solver="gmres")  # noqa: E731
    np.testing.assert_allclose(tf.autodiff.jacobian(gmres, a), want)
    np.testing.assert_allclose(
        tf.autodiff.hessian(lambda a: tf.reduce_sum(square_root(a)), a),
        np.diag(-0.25 * a.numpy() ** -1.5),
    )


def test_variables_that_the_function_reads():
    v = tf.Variable(2.0, dtype=tf.float64)
    with tf.GradientTape() as tape:
        x = root(lambda x: x**3 - v, tf.constant(1.0, tf.float64))
    np.testing.assert_allclose(x, 2 ** (1 / 3))
    np.testing.assert_allclose(tape.gradient(x, v), 2 ** (-2 / 3) / 3)


def test_linear_system_with_nested_arguments():
    rng = np.random.default_rng(0)
    a, b = tf.constant(rng.normal(size=(4, 4))), tf.constant(rng.normal(size=4))
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([a, b])
        x = root(
            lambda x, p: tf.linalg.matvec(p["a"], x) - p["b"], tf.zeros_like(b), {"a": a, "b": b}
        )
        y = tf.linalg.solve(a, b[:, None])[:, 0]
        x0, y0 = x[0], y[0]
    np.testing.assert_allclose(x, y)
    for source in (a, b):
        np.testing.assert_allclose(tape.gradient(x0, source), tape.gradient(y0, source))


def heat(u, q):
    """A nonlinear rod: u'' = q u^3 - 1 between cold ends."""
    n = u.shape[0]
    full = tf.pad(u, [[1, 1]])
    return (full[2:] - 2 * u + full[:-2]) * 1.0 - (q * u**3 - 1) / (n + 1) ** 2


def test_large_systems_by_products():
    q = tf.constant(10.0, tf.float64)
    n = 40
    start = tf.zeros(n, tf.float64)
    grads = []
    for how in ("dense", "gmres"):
        with tf.GradientTape() as tape:
            tape.watch(q)
            u = root(heat, start, q, linear_solver=how)
            mean = tf.reduce_mean(u)
        grads.append(float(tape.gradient(mean, q)))
    np.testing.assert_allclose(*grads, rtol=1e-6)


def test_many_unknowns_do_not_make_a_matrix():
    a = tf.constant(np.linspace(1.0, 2.0, 20_000))
    with tf.GradientTape() as tape:
        tape.watch(a)
        x = square_root(a)
    np.testing.assert_allclose(tape.gradient(x, a), 0.5 / np.sqrt(a), rtol=1e-8)


def test_a_solver_of_the_users():
    a = tf.constant([0.3, 0.6], tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(a)
        x = root(
            lambda x, a: x - a * tf.sin(x) - 1,
            tf.ones(2, tf.float64),
            a,
            solver=lambda f, x: optimize.root(f, x, tol=1e-13).x,
        )
    np.testing.assert_allclose(tape.gradient(x, a), np.sin(x) / (1 - a * np.cos(x)), rtol=1e-8)


def test_fixed_point():
    a = tf.constant(0.5, tf.float64)
    with tf.GradientTape() as outer:
        outer.watch(a)
        with tf.GradientTape() as tape:
            tape.watch(a)
            x = fixed_point(lambda x, a: tf.cos(a * x), tf.constant(1.0, tf.float64), a)
        d = tape.gradient(x, a)
    d2 = outer.gradient(d, a)

    def closed(a):
        x = optimize.brentq(lambda x: np.cos(a * x) - x, 0, 1, xtol=1e-15)
        return x, -x * np.sin(a * x) / (1 + a * np.sin(a * x))

    np.testing.assert_allclose((x, d), closed(0.5))
    np.testing.assert_allclose(
        d2, (closed(0.5 + 1e-5)[1] - closed(0.5 - 1e-5)[1]) / 2e-5, rtol=1e-6
    )


def test_one_example_at_a_time_when_vectorized():
    a = tf.constant([1.0, 4.0, 9.0])
    with pytest.warns(UserWarning, match="solved one at a time"):
        found = tf.vectorized_map(square_root, a)
    np.testing.assert_allclose(found, [1, 2, 3], rtol=1e-6)


X = tf.constant([1.0, 2.0])


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: root(lambda x: x * x + 1, X), RuntimeError, "no step makes the residual|singular"),
        (lambda: root(lambda x: x * 0 + 1, X), RuntimeError, "singular"),
        (lambda: root(lambda x: tf.exp(x), X, max_iterations=3), RuntimeError, "3 Newton steps"),
        (lambda: root(lambda x: tf.math.log(-x), X), RuntimeError, "not finite"),
        (lambda: root(lambda x: x[:1], X), ValueError, "as many equations as unknowns"),
        (lambda: root(lambda x: x, tf.constant(1)), TypeError, "real and floating, not int32"),
        (lambda: root(lambda x: x, X, solver=lambda f, x: 1.0), ValueError, "gave 1 unknowns"),
        (lambda: fixed_point(lambda x: 2 * x + 1, X), RuntimeError, "fixed_point: no convergence"),
    ],
)
def test_errors_say_what_to_do(call, error, message):
    with pytest.raises(error, match=message):
        call()
