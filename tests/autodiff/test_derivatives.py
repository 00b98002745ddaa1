"""Derivatives asked for by name, against closed forms and against the tapes they stand for."""

import numpy as np
import pytest

import gradtape as tf

ad = tf.autodiff
X = tf.constant([0.5, -1.0, 2.0], tf.float64)


def cubic(x):
    return tf.reduce_sum(x**3) * x[0]


def mixed(x, y):
    return tf.reduce_sum(x * tf.sin(y)) * tf.reduce_sum(x)


def nested_tapes(fn, x):
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = fn(x)
        g = inner.gradient(y, x)
    return outer.jacobian(g, x)


def test_gradient_and_value():
    value, g = ad.value_and_gradient(cubic, X)
    np.testing.assert_allclose(value, cubic(X))
    np.testing.assert_allclose(g, ad.gradient(cubic, X))
    np.testing.assert_allclose(g, ad.jacobian(cubic, X))


@pytest.mark.parametrize("dtype", [tf.float32, tf.float64])
def test_hessian_is_that_of_nested_tapes(dtype):
    x = tf.cast(X, dtype)
    h = ad.hessian(cubic, x)
    assert h.dtype is dtype
    np.testing.assert_allclose(h, nested_tapes(cubic, x))
    np.testing.assert_allclose(ad.hessian_diagonal(cubic, x), np.diag(h))


def test_products_agree_with_the_hessian():
    v = tf.constant([1.0, 2.0, 3.0], tf.float64)
    np.testing.assert_allclose(ad.hvp(cubic, X, v), ad.hessian(cubic, X).numpy() @ v.numpy())


def test_several_arguments_are_a_tuple():
    x, y = tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])
    (xx, xy), (yx, yy) = ad.hessian(mixed, (x, y))
    np.testing.assert_allclose(xy, np.transpose(yx), rtol=1e-6)
    np.testing.assert_allclose(yy, np.diag(-x * np.sin(y) * 3), rtol=1e-5)
    hx, hy = ad.hvp(mixed, (x, y), (tf.ones(2), tf.ones(2)))
    np.testing.assert_allclose(hx, tf.reduce_sum(xx, 1) + tf.reduce_sum(xy, 1), rtol=1e-5)
    np.testing.assert_allclose(hy, tf.reduce_sum(yx, 1) + tf.reduce_sum(yy, 1), rtol=1e-5)
    for a, b in zip(ad.hessian_diagonal(mixed, (x, y)), (xx, yy), strict=True):
        np.testing.assert_allclose(a, np.diag(b), rtol=1e-5)


def test_a_function_without_parameters_reads_variables():
    w = {"a": tf.Variable([[1.0, 2.0]]), "b": tf.Variable(3.0)}
    h = ad.hessian(lambda: tf.reduce_sum(w["a"]) ** 2 * w["b"], w)
    assert {k: {m: tuple(h[k][m].shape) for m in h[k]} for k in h} == {
        "a": {"a": (1, 2, 1, 2), "b": (1, 2)},
        "b": {"a": (1, 2), "b": ()},
    }
    np.testing.assert_allclose(h["a"]["a"], np.full((1, 2, 1, 2), 6.0))
    np.testing.assert_allclose(h["a"]["b"], [[6.0, 6.0]])
    assert float(h["b"]["b"]) == 0.0


def test_sources_of_several_dtypes():
    x, y = tf.constant([1.0, 2.0]), tf.constant(3.0, tf.float64)
    h = ad.hessian(lambda x, y: tf.reduce_sum(tf.cast(x, tf.float64)) ** 2 * y, (x, y))
    assert [[block.dtype for block in row] for row in h] == [[tf.float32, tf.float64]] * 2
    np.testing.assert_allclose(h[0][0], np.full((2, 2), 6.0))


def test_jvp_and_vjp_are_adjoint():
    fn = lambda x, y: {"s": tf.sin(x) * y, "p": tf.reduce_prod(x)}  # noqa: E731
    x, y = X, tf.constant(2.0, tf.float64)
    t = (tf.constant([1.0, 2.0, 3.0], tf.float64), tf.constant(0.5, tf.float64))
    c = {"s": tf.constant([0.1, 0.2, 0.3], tf.float64), "p": tf.constant(4.0, tf.float64)}
    value, tangent = ad.jvp(fn, (x, y), t)
    again, pulled = ad.vjp(fn, (x, y), c)
    np.testing.assert_allclose(value["s"], again["s"])
    left = sum(float(tf.reduce_sum(c[k] * tangent[k])) for k in c)
    right = sum(float(tf.reduce_sum(a * b)) for a, b in zip(pulled, t, strict=True))
    np.testing.assert_allclose(left, right)


def test_complex_gradients_are_tensorflows():
    z = tf.constant([1 + 2j], tf.complex128)
    np.testing.assert_allclose(ad.gradient(lambda z: z * z, z), [2 - 4j])
    with pytest.raises(ValueError, match=r"tf\.complex inside"):
        ad.hessian(lambda z: tf.math.real(tf.reduce_sum(z)), z)


def test_unconnected():
    y = tf.constant(1.0, tf.float64)
    fn = lambda x, y: tf.reduce_sum(x**2)  # noqa: E731
    assert ad.gradient(fn, (X, y))[1] is None
    assert float(ad.gradient(fn, (X, y), "zero")[1]) == 0
    assert ad.hessian(fn, (X, y))[1][0].shape == (3,)
    assert not np.any(ad.hvp(lambda x: tf.reduce_sum(x), X, X))
    assert not np.any(ad.hessian_diagonal(lambda x: tf.reduce_sum(x), X))


def test_per_example_gradients():
    rng = np.random.default_rng(0)
    w, b = tf.Variable(rng.normal(size=(4, 3))), tf.Variable(rng.normal(size=3))
    x, y = rng.normal(size=(8, 4)), rng.normal(size=(8, 3))

    def loss(x, y):
        return tf.reduce_sum((tf.tanh(tf.linalg.matvec(w, x, transpose_a=True) + b) - y) ** 2)

    dw, db = ad.per_example_gradients(loss, [w, b], (x, y))
    assert (dw.shape, db.shape) == ((8, 4, 3), (8, 3))
    for i in range(8):
        with tf.GradientTape() as tape:
            value = loss(tf.constant(x[i]), tf.constant(y[i]))
        for all_, one in zip((dw, db), tape.gradient(value, [w, b]), strict=True):
            np.testing.assert_allclose(all_[i], one)


def test_gradients_of_rows_read():
    table = tf.Variable(np.arange(6.0).reshape(3, 2))
    fn = lambda: tf.reduce_sum(tf.gather(table, [0, 2, 0]) ** 3)  # noqa: E731
    h = ad.hessian(fn, table)
    diagonal = 6 * table.numpy() * np.array([[2], [0], [1]])
    np.testing.assert_allclose(h, np.diag(diagonal.ravel()).reshape(3, 2, 3, 2))
    np.testing.assert_allclose(ad.hessian_diagonal(fn, table), diagonal)
    g = ad.per_example_gradients(
        lambda i: tf.reduce_sum(tf.gather(table, i)), table, tf.constant([0, 2])
    )
    np.testing.assert_allclose(g, [[[1, 1], [0, 0], [0, 0]], [[0, 0], [0, 0], [1, 1]]])


def test_everything_can_be_differentiated_again():
    with tf.GradientTape() as tape:
        tape.watch(X)
        total = (
            tf.reduce_sum(ad.hessian_diagonal(lambda x: tf.reduce_sum(x**4), X))
            + tf.reduce_sum(ad.hessian(lambda x: tf.reduce_sum(x**4), X))
            + tf.reduce_sum(ad.hvp(lambda x: tf.reduce_sum(x**4), X, X))
        )
    np.testing.assert_allclose(tape.gradient(total, X), 48 * X + 36 * X**2)


def test_diagonal_in_chunks(monkeypatch):
    monkeypatch.setattr("gradtape._src.autodiff.jacobian.CHUNK_BYTES", 64)
    x = tf.reshape(tf.linspace(0.0, 1.0, 20), [4, 5])
    np.testing.assert_allclose(
        ad.hessian_diagonal(lambda x: tf.reduce_sum(x**3), x), 6 * x, rtol=1e-6
    )


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: ad.hessian(lambda x: x, X), ValueError, "must give a real scalar"),
        (lambda: ad.hessian(lambda x: 1.0, X), ValueError, "must give a scalar tensor"),
        (lambda: ad.hessian(tf.reduce_sum(X), X), TypeError, "must be a function"),
        (lambda: ad.hvp(cubic, X, [X, X]), ValueError, "`vectors` must have the structure"),
        (lambda: ad.hvp(cubic, X, X[:2]), ValueError, r"shape \(2,\) where the sources has \(3,\)"),
        (lambda: ad.jvp(cubic, X, X[:2]), ValueError, "`tangents` has a value of shape"),
        (lambda: ad.vjp(cubic, X, X), ValueError, "`cotangents` has a value of shape"),
        (lambda: ad.gradient(cubic, tf.constant(1)), TypeError, "int32 has no derivative"),
        (lambda: ad.gradient(cubic, "x"), TypeError, "a source must be"),
        (
            lambda: ad.per_example_gradients(lambda x: x * X, X, np.ones(3)),
            ValueError,
            "must give a real scalar",
        ),
    ],
)
def test_errors_say_what_to_do(call, error, message):
    with pytest.raises(error, match=message):
        call()
