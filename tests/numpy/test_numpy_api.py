"""`tf.experimental.numpy` against NumPy, and its gradients."""

import subprocess
import sys

import numpy as np
import pytest

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


def _same(found, expected):
    if isinstance(expected, (tuple, list)):
        assert len(found) == len(expected)
        for f, e in zip(found, expected, strict=True):
            _same(f, e)
        return
    expected = np.asarray(expected)
    if expected.dtype == np.intp:  # int32 where addresses have 32 bits; TensorFlow's is int64
        expected = expected.astype(np.int64)
    assert np.asarray(found).dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("name", CALLS["one"].split())
def test_functions_of_one_array(name):
    _same(getattr(tnp, name)(X), getattr(np, name)(X))


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
@pytest.mark.parametrize("name", CALLS["two"].split())
def test_functions_of_two_arrays(name):
    x = np.abs(X) if name == "power" else X
    _same(getattr(tnp, name)(x, Y), getattr(np, name)(x, Y))


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda n: n.moveaxis(X[None], 0, 2), (2, 3, 1)),
        (lambda n: n.take_along_axis(X, np.argsort(X, 1), 1), (2, 3)),
        (lambda n: n.cross(X, Y), (2, 3)),
        (lambda n: n.rot90(X, 3), (3, 2)),
        (lambda n: n.pad(X, ((1, 0), (0, 2)), "constant", constant_values=7), (3, 5)),
        (lambda n: n.where(X > 0, X, 1), (2, 3)),
        (lambda n: n.select([X > 1, X > 0], [X, -X], 9.0), (2, 3)),
        (lambda n: n.diagonal(X, 1), (2,)),
        (lambda n: n.vander(X[0], 4), (3, 4)),
        (lambda n: n.geomspace(1.0, 100.0, 5), (5,)),
        (lambda n: n.average(X, 1, weights=[1, 2, 3]), (2,)),
        (lambda n: n.split(X, [1, 2], 1)[1], (2, 1)),
        (lambda n: n.tril(X, -1), (2, 3)),
        (lambda n: n.triu(X, 1), (2, 3)),
        (lambda n: n.reshape(X, (3, 2), order="F"), (3, 2)),
        (lambda n: n.around(X * 1000, -2), (2, 3)),
        (lambda n: n.gcd([12, 0, 7], [18, 5, 0]), (3,)),
        (lambda n: n.lcm([4, 0, -7], [6, 5, 2]), (3,)),
        (lambda n: n.clip([1, 5], None, 3.0), (2,)),
    ],
)
def test_calls(call, expected):
    found = call(tnp)
    assert found.shape == expected
    _same(found, call(np))


def test_promotion_is_numpys():
    i32, f32 = tf.constant([1, 2]), tf.constant([1.0, 2.0])
    assert tnp.add(i32, f32).dtype == tf.float64
    assert tnp.add(i32, 1.5).dtype == tf.float64
    assert tnp.add(f32, 1.5).dtype == tf.float32
    assert tnp.add(f32, np.float64(1.5)).dtype == tf.float64
    assert tnp.sum(tf.constant([1, 2], tf.uint8)).dtype == tf.uint64
    assert tnp.array([1, tf.constant(2.0)]).dtype == tf.float32
    assert isinstance(tnp.ones(2), tnp.ndarray)


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
    with pytest.raises(tf.errors.InvalidArgumentError, match="takes integers"):
        tnp.gcd(1.5, 2)
    with pytest.raises(AttributeError, match="no attribute 'T'"):
        _ = tf.constant([1]).T


ENABLED = """
import numpy as np, gradtape as tf
import gradtape.experimental.numpy as tnp
tnp.experimental_enable_numpy_behavior()
tnp.experimental_enable_numpy_behavior()
i, x = tf.constant([1, 2]), tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
assert (i + 1.5).dtype == (1.5 * i).dtype == (i / 2).dtype == tf.float64
assert (x + 1.5).dtype == (x * i[:, None].astype(np.float32)).dtype == tf.float32
assert x.T.shape == x.reshape(3, -1).shape == x.transpose(1, 0).shape == (3, 2)
assert x.astype(np.int32).dtype == tf.int32 and x.size == 6 and x.max() == 6
value = x.numpy()
for key in ([0, 1, 1], ([0, 1], [1, 2]), (slice(None), [1, -1]), value > 2, (None, [0], ..., 1)):
    np.testing.assert_array_equal(x[key], value[key])
np.testing.assert_array_equal(x[tf.constant([-1, 0])], value[[-1, 0]])
v = tf.Variable([1.0, 2.0])
with tf.GradientTape() as tape:
    y = ((v @ v) * x[:, [0, 2]] ** 2).mean() + v[[1, 1]].ravel()[0]
np.testing.assert_allclose(tape.gradient(y, v), [31.0, 63.0])
"""


def test_numpy_behavior():
    subprocess.run([sys.executable, "-W", "error", "-c", ENABLED], check=True)


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
