"""Sums, means and orders of `tf.experimental.numpy`, against NumPy."""

import numpy as np
import pytest

import gradtape as tf
import gradtape.experimental.numpy as tnp

X = np.array([[0.5, -1.25, 2.0], [3.0, 0.25, -0.75]])
HOLES = np.where(X == 2.0, np.nan, X)


@pytest.mark.parametrize(
    "name", ["sum", "mean", "prod", "std", "var", "amax", "amin", "ptp", "cumsum", "cumprod"]
)
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_along_axes(name, axis):
    np.testing.assert_allclose(getattr(tnp, name)(X, axis=axis), getattr(np, name)(X, axis=axis))


@pytest.mark.parametrize("name", ["nansum", "nanprod", "nanmean"])
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_holes_are_passed_over(name, axis):
    got = getattr(tnp, name)(HOLES, axis=axis)
    np.testing.assert_allclose(got, getattr(np, name)(HOLES, axis=axis))


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_orders(axis):
    np.testing.assert_array_equal(tnp.sort(X, axis), np.sort(X, axis))
    np.testing.assert_array_equal(tnp.argsort(X, axis), np.argsort(X, axis))
    np.testing.assert_array_equal(tnp.argmax(X, axis), np.argmax(X, axis))
    with pytest.raises(ValueError, match="kind"):
        tnp.sort(X, axis, kind="slow")


def test_truths():
    assert bool(tnp.all(X)) is True
    assert tnp.any(X > 2, axis=1).numpy().tolist() == [False, True]
    assert bool(tnp.allclose(X, X + 1e-9))
    assert not tnp.array_equal(X, X[:1])
    assert [p.numpy().tolist() for p in tnp.nonzero(X > 1)] == [[0, 1], [2, 0]]


def test_averages():
    got, weight = tnp.average(X, 1, weights=[1.0, 0.0, 3.0], returned=True)
    np.testing.assert_allclose(got, np.average(X, 1, weights=[1, 0, 3]))
    assert weight.numpy().tolist() == [4, 4]
    with pytest.raises(tf.errors.InvalidArgumentError):
        tnp.average(X, weights=[1.0])


def test_gradients():
    x = tf.constant(X)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tnp.mean(x) + tnp.amax(x)
    want = np.full(X.shape, 1 / 6)
    want[1, 0] += 1
    np.testing.assert_allclose(tape.gradient(y, x), want)


def test_the_variance_has_the_dtype_that_is_asked_for():
    for dtype in ("complex64", "complex128", "float64", "float16"):
        assert tnp.var(np.float32([1, 2]), dtype=dtype).dtype == dtype
    assert tnp.var(np.complex64([1, 2])).dtype == "float32"
