"""`gradtape.optimize.minimize`: SciPy's methods on variables."""

import numpy as np
import pytest

import gradtape as tf

minimize = tf.optimize.minimize
WITH_GRADIENT = ["L-BFGS-B", "BFGS", "CG", "TNC", "SLSQP", "Newton-CG", "trust-ncg"]
WITH_GRADIENT += ["trust-krylov", "trust-constr", "trust-exact", "dogleg"]
WITHOUT = ["Nelder-Mead", "Powell", "COBYLA"]


def problem(dtype=tf.float64):
    x = tf.Variable([[1.2, 0.8]], dtype=dtype)
    y = tf.Variable(0.5, dtype=dtype)
    target = tf.constant([[1.0, 2.0]], dtype)
    return x, y, lambda: tf.reduce_sum((x - target) ** 2) + (y - 0.3) ** 2 * (1 + x[0, 0] ** 2)


@pytest.mark.parametrize("method", WITH_GRADIENT + WITHOUT)
def test_every_method(method):
    x, y, loss = problem()
    steps = []
    result = minimize(loss, {"x": x, "y": y}, method=method, callback=steps.append)
    assert result.success
    np.testing.assert_allclose(x, [[1, 2]], atol=1e-3)
    np.testing.assert_allclose(y, 0.3, atol=1e-3)
    np.testing.assert_allclose(result.x, [*x.numpy().ravel(), y.numpy()])
    assert [s.iteration for s in steps] == list(range(1, len(steps) + 1))
    assert steps
    assert steps[-1].loss <= float(loss()) + 1e-6


def test_the_callback_sees_the_values_of_its_step():
    x, y, loss = problem()
    losses = []
    minimize(loss, [x, y], callback=lambda step: losses.append((step.loss, float(loss()))))
    for reported, found in losses:
        np.testing.assert_allclose(reported, found)
    assert losses == sorted(losses, reverse=True)


def test_stop_iteration_ends():
    x, y, loss = problem()

    def stop(step):
        raise StopIteration

    result = minimize(loss, [x, y], callback=stop)
    assert result.nit == 1


def test_rosenbrock_by_newtons_method():
    x = tf.Variable(np.full(100, -1.0))
    result = minimize(
        lambda: tf.reduce_sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2),
        x,
        method="trust-krylov",
        tol=1e-8,
    )
    assert result.fun < 1e-12 or abs(result.fun - 3.9866) < 1e-3  # its other local minimum


def test_float32_variables_stay_so():
    x, y, loss = problem(tf.float32)
    result = minimize(loss, (x, y))
    assert result.x.dtype == np.float64
    assert x.dtype is tf.float32
    np.testing.assert_allclose(x, [[1, 2]], atol=1e-3)


@pytest.mark.parametrize(
    "bounds",
    [(None, 0.9), [(None, 0.9), None], {"x": (-1, np.array([0.9, 0.9]))}, [([0, 0], 0.9), (0, 1)]],
)
def test_bounds(bounds):
    x, y, loss = problem()
    variables = {"x": x, "y": y} if isinstance(bounds, dict) else [x, y]
    minimize(loss, variables, bounds=bounds)
    np.testing.assert_allclose(x, [[0.9, 0.9]])
    np.testing.assert_allclose(y, 0.3, atol=1e-4)


def test_what_is_raised_leaves_the_best_values():
    x, y, loss = problem()
    seen = []

    def fails():
        if len(seen) == 4:
            raise KeyboardInterrupt
        seen.append((float(loss()), x.numpy(), y.numpy()))
        return loss()

    with pytest.raises(KeyboardInterrupt):
        minimize(fails, [x, y])
    best = min(seen, key=lambda s: s[0])
    np.testing.assert_allclose(x, best[1])
    np.testing.assert_allclose(y, best[2])


def test_progress(capsys):
    x, y, loss = problem()
    minimize(loss, [x, y], progress=True)
    out = capsys.readouterr().out
    assert "iteration" in out
    assert "loss" in out


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda x: minimize(lambda: x * 2, x), ValueError, "must be a real scalar"),
        (lambda x: minimize(lambda: tf.constant(1.0), x), ValueError, "not depend on any"),
        (lambda x: minimize(lambda: tf.reduce_sum(x) / 0, x), ValueError, "the loss is inf"),
        (lambda x: minimize(tf.reduce_sum(x), x), TypeError, "must be a function"),
        (lambda x: minimize(lambda: 0.0, tf.constant(1.0)), TypeError, r"is not a tf\.Variable"),
        (lambda x: minimize(lambda: 0.0, tf.Variable(1)), TypeError, "has dtype int32"),
        (lambda x: minimize(lambda: 0.0, []), ValueError, "at least one tf.Variable"),
        (
            lambda x: minimize(lambda: tf.reduce_sum(x), x, bounds=[(0, 1), (0, 1)]),
            ValueError,
            "2 entries for 1 variables",
        ),
        (
            lambda x: minimize(lambda: tf.reduce_sum(x), x, bounds=(np.zeros(3), None)),
            ValueError,
            "does not broadcast",
        ),
    ],
)
def test_errors_say_what_to_do(call, error, message):
    with pytest.raises(error, match=message):
        call(tf.Variable([1.0, 2.0]))
