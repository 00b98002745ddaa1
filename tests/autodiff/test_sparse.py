"""Sparse Jacobians and Hessians against the dense ones, and the number of passes they take."""

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.autodiff import jacobian as dense

ad = tf.autodiff


def point(n, dtype=tf.float64):
    return tf.constant(np.random.default_rng(0).normal(size=n), dtype)


def tridiagonal(x):
    return tf.pad(x[1:], [[0, 1]]) * 2 - tf.exp(x) + tf.pad(x[:-1], [[1, 0]]) ** 2


def brusselator(u):
    """Two reacting substances that diffuse on a ring."""
    a, b = tf.unstack(tf.reshape(u, [2, -1]))

    def laplacian(w):
        return tf.roll(w, 1, 0) - 2 * w + tf.roll(w, -1, 0)

    reaction = a * a * b
    return tf.concat(
        [1 + reaction - 4 * a + 0.02 * laplacian(a), 3 * a - reaction + 0.02 * laplacian(b)], 0
    )


def rosenbrock(x):
    return tf.reduce_sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def arrow(x):
    return tf.reduce_sum(x[1:] ** 2 * x[0] ** 2) + x[0] ** 3


@pytest.fixture
def passes(monkeypatch):
    """The batch sizes of the vectorized walks that run."""
    sizes = []

    class Counted(dense.Vectorizer):
        def __init__(self, size):
            sizes.append(size)
            super().__init__(size)

    monkeypatch.setattr(dense, "Vectorizer", Counted)
    return sizes


@pytest.mark.parametrize(("fn", "most"), [(tridiagonal, 3), (brusselator, 7)])
def test_large_jacobians_take_few_passes(fn, most, passes):
    small = point(20)
    np.testing.assert_allclose(ad.sparse_jacobian(fn, small).toarray(), ad.jacobian(fn, small))
    sparsity = ad.jacobian_sparsity(fn, point(10_000))
    assert sparsity.passes <= most
    passes.clear()
    found = ad.sparse_jacobian(fn, point(10_000))
    assert passes == [sparsity.passes]
    assert found.shape == (10_000, 10_000)
    assert found.nnz <= 40_000
    v = point(10_000)
    np.testing.assert_allclose(found @ v.numpy(), ad.jvp(fn, v, v)[1], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(("fn", "most"), [(rosenbrock, 3), (arrow, 2)])
def test_large_hessians_take_few_passes(fn, most, passes):
    small = point(20)
    np.testing.assert_allclose(ad.sparse_hessian(fn, small).toarray(), ad.hessian(fn, small))
    sparsity = ad.hessian_sparsity(fn, point(10_000))
    assert sparsity.passes == most
    passes.clear()
    found = ad.sparse_hessian(fn, point(10_000), sparsity)
    assert sum(passes) == most + 1  # one checks that the pattern is still the same
    v = point(10_000)
    np.testing.assert_allclose(found @ v.numpy(), ad.hvp(fn, v, v), rtol=1e-8, atol=1e-8)


def test_several_sources_and_variables():
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    w = tf.Variable([5.0, 6.0])
    found = ad.sparse_jacobian(lambda: tf.reduce_sum(v**2, 1) * w, [v, w])
    want = [[10, 20, 0, 0, 5, 0], [0, 0, 36, 48, 0, 25]]
    np.testing.assert_allclose(found.toarray(), want)
    h = ad.sparse_hessian(lambda: tf.reduce_sum(tf.reduce_sum(v**2, 1) * w), [v, w])
    np.testing.assert_allclose(h.toarray()[4], [2, 4, 0, 0, 0, 0])
    np.testing.assert_allclose(h.toarray(), h.toarray().T)


def test_wide_jacobians_go_backwards():
    fn = lambda x: tf.reduce_sum(tf.reshape(x, [4, -1]) ** 2, 1)  # noqa: E731
    sparsity = ad.jacobian_sparsity(fn, point(40))
    assert (sparsity.by, sparsity.passes) == ("rows", 1)
    assert "40 elements, 1 passes by rows" in repr(sparsity)
    found = ad.sparse_jacobian(fn, point(40), sparsity)
    np.testing.assert_allclose(found.toarray(), ad.jacobian(fn, point(40)))


def test_complex_values_go_backwards():
    z = tf.constant([1 + 2j, 3 - 1j], tf.complex128)
    fn = lambda z: z * z  # noqa: E731
    np.testing.assert_allclose(ad.sparse_jacobian(fn, z).toarray(), ad.jacobian(fn, z))


def test_convolutions_both_ways():
    kernel = tf.constant([[0, 1, 0], [1, -4, 1], [0, 1, 0]], tf.float64)[:, :, None, None]

    def energy(x):
        image = tf.reshape(x, [1, 10, 10, 1])
        return tf.reduce_sum((tf.nn.conv2d(image, kernel, 1, "SAME") + image**3) ** 2)

    x = point(100)
    assert ad.hessian_sparsity(energy, x).passes <= 36
    np.testing.assert_allclose(
        ad.sparse_hessian(energy, x).toarray(), ad.hessian(energy, x), atol=1e-9
    )


def test_float32_stays():
    assert ad.sparse_jacobian(tridiagonal, point(5, tf.float32)).dtype == np.float32


def test_a_sparsity_serves_every_point():
    sparsity = ad.jacobian_sparsity(tridiagonal, point(12))
    for x in (point(12), point(12) * 3):
        found = ad.sparse_jacobian(tridiagonal, x, sparsity)
        np.testing.assert_allclose(found.toarray(), ad.jacobian(tridiagonal, x))


def test_a_changed_pattern_is_an_error():
    def fn(x, shift=1):
        return x * tf.roll(x, shift, 0)

    sparsity = ad.jacobian_sparsity(fn, point(12))
    with pytest.raises(ValueError, match="the pattern changed since `sparsity` was found"):
        ad.sparse_jacobian(lambda x: fn(x, 4), point(12), sparsity)
    with pytest.raises(ValueError, match=r"matrix of shape \(12, 12\), but this one has shape"):
        ad.sparse_jacobian(fn, point(10), sparsity)
    with pytest.raises(ValueError, match="the pattern changed"):
        ad.sparse_hessian(
            lambda x: tf.reduce_sum(fn(x, 4)), point(12), ad.hessian_sparsity(rosenbrock, point(12))
        )


def test_what_is_not_sparse_is_an_error():
    with pytest.raises(ValueError, match="the derivative is not sparse"):
        ad.jacobian_sparsity(lambda x: x / tf.norm(x), point(20_000))
    with pytest.raises(ValueError, match="must give a real scalar"):
        ad.sparse_hessian(tridiagonal, point(4))


def test_a_tape_outside_sees_numbers():
    x = point(4)
    with tf.GradientTape() as tape, tf.autodiff.ForwardAccumulator(x, x):
        tape.watch(x)
        y = x * x
        found = ad.sparse_jacobian(tridiagonal, y)
    np.testing.assert_array_equal(found.toarray(), ad.sparse_jacobian(tridiagonal, x * x).toarray())
    np.testing.assert_array_equal(tape.gradient(y, x), 2 * x)
    with pytest.raises(ValueError, match="call it outside of that function"):
        tf.vectorized_map(lambda x: ad.sparse_jacobian(tridiagonal, x), x[None])


def test_random_patterns_are_recovered():
    """Any pattern: y = (A * x) x for sparse A, and the Hessian of x' A x."""
    rng = np.random.default_rng(0)
    for _ in range(10):
        a = rng.normal(size=(15, 15)) * (rng.random((15, 15)) < rng.choice([0.1, 0.3]))
        a[0] = rng.normal(size=15)
        matrix, x = tf.constant(a), point(15)
        fn = lambda x, m=matrix: tf.linalg.matvec(m, x**2)  # noqa: E731
        np.testing.assert_allclose(ad.sparse_jacobian(fn, x).toarray(), 2 * a * x.numpy())
        form = lambda x, m=matrix: tf.reduce_sum(x**2 * tf.linalg.matvec(m, x))  # noqa: E731
        np.testing.assert_allclose(
            ad.sparse_hessian(form, x).toarray(), ad.hessian(form, x), atol=1e-12
        )
