"""`tf.experimental.numpy` against NumPy, and its gradients."""

import numpy as np
import pytest
from numpy_checks import same

import gradtape as tf
import gradtape.experimental.numpy as tnp

X = np.array([[0.5, -1.25, 2.0], [3.0, 0.25, -0.75]])
Y = np.array([[1.5, 2.0, -0.5], [0.5, 4.0, 3.0]])
CALLS = {
    "one": "abs cbrt ceil cos cumsum diff exp2 expm1 flip isreal mean nansum prod "
    "ptp ravel sign signbit sinc sort std sum transpose tril triu var argmax nonzero atleast_3d",
    "two": "add arctan2 divide equal floor_divide heaviside hypot inner kron logaddexp maximum mod "
    "outer power vdot append isclose",
}


@pytest.mark.parametrize("name", CALLS["one"].split())
def test_functions_of_one_array(name):
    same(getattr(tnp, name)(X), getattr(np, name)(X))


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
@pytest.mark.parametrize("name", CALLS["two"].split())
def test_functions_of_two_arrays(name):
    x = np.abs(X) if name == "power" else X
    same(getattr(tnp, name)(x, Y), getattr(np, name)(x, Y))


def test_gradients():
    x = tf.constant(X)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tnp.sum(tnp.logaddexp(x, Y) * tnp.sinc(x)) + tnp.trace(tnp.dot(x, Y.T))
    step = 1e-6

    def f(x):
        return (np.logaddexp(x, Y) * np.sinc(x)).sum() + np.trace(x @ Y.T)

    units = np.eye(6).reshape(6, 2, 3)
    expected = [(f(X + step * u) - f(X - step * u)) / (2 * step) for u in units]
    np.testing.assert_allclose(tape.gradient(y, x).numpy().ravel(), expected, rtol=1e-8)


def test_errors():
    with pytest.raises(ValueError, match="Unsupported padding mode"):
        tnp.pad(X, 1, "edge")
    with pytest.raises(ValueError, match="Both x and y"):
        tnp.where(X > 0, X)
    with pytest.raises(ValueError, match="must be integers"):
        tnp.gcd(1.5, 2)
    with pytest.raises(AttributeError, match="no attribute 'T'"):
        _ = tf.constant([1]).T


def test_numpy_functions_have_the_dtypes_and_bounds_of_tensorflow():
    numpy = tf.experimental.numpy
    single = tf.constant([1.0, 2.0])
    assert numpy.add([1.0, 2.0], single).dtype == tf.float32
    assert numpy.add([1.0, 2.0], [1.0, 2.0]).dtype == tf.float64
    assert numpy.true_divide(tf.constant([3], tf.uint8), 2).dtype == tf.float32
    assert numpy.trace(tf.ones((2, 2), tf.int8)).dtype == tf.int8
    turned = numpy.angle(np.array([1.0, -1.0]))  # of real numbers, always float32
    assert turned.dtype == tf.float32
    np.testing.assert_allclose(turned, [0, np.pi], rtol=1e-6)
    assert numpy.diag_indices(2)[0].dtype == tf.int32
    assert numpy.cumsum(tf.constant([1, 2], tf.uint8)).dtype == tf.int64
    np.testing.assert_array_equal(numpy.clip([0.0, 2.0, 5.0], 3.0, 1.0), [3, 3, 3])
