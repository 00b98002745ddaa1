"""Sparse Jacobians and Hessians against the dense ones, and the number of passes they take."""

import numpy as np
import pytest
from samples import SAMPLES

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


M = tf.constant(np.eye(6, k=1) - 2 * np.eye(6))
I = tf.constant([0, 5, 5, 2])

CASES = {
    "wide rows": (lambda x: tf.reduce_sum(tf.reshape(x, [3, 2]), 1), 6),
    "constant matrix": (lambda x: tf.linalg.matvec(M, x), 11),
    "matrix on the right": (lambda x: tf.matmul(tf.reshape(x, [1, 6]), M), 11),
    "product of both": (
        lambda x: tf.matmul(tf.reshape(x[:4], [2, 2]), tf.reshape(x[2:], [2, 2])),
        None,
    ),
    "stack": (lambda x: tf.matmul(tf.reshape(x, [3, 1, 2]), tf.ones([3, 2, 2], x.dtype)), 12),
    "einsum": (
        lambda x: tf.einsum("ij,kj->ki", tf.reshape(x, [3, 2]), tf.ones([4, 2], x.dtype)),
        24,
    ),
    "gather": (lambda x: tf.gather(x, I) ** 2, 4),
    "gather_nd": (lambda x: tf.gather_nd(tf.reshape(x, [2, 3]), [[0, 1], [1, 2]]), 2),
    "scatter": (lambda x: tf.scatter_nd([[3], [1], [3]], x[:3], [5]), 3),
    "update": (lambda x: tf.tensor_scatter_nd_update(x, [[1]], x[3:4] ** 2), 6),
    "segments": (lambda x: tf.math.segment_sum(x**2, [0, 0, 1, 1, 1, 2]), 6),
    "mask": (lambda x: tf.boolean_mask(x**2, [1, 0, 0, 1, 1, 0]), 3),
    "where": (lambda x: tf.where(x > 0, x, tf.reverse(x, [0]) * 2), 12),
    "clip": (lambda x: tf.clip_by_value(x, -0.5, 0.5), 6),
    "maximum": (lambda x: tf.maximum(x, tf.roll(x, 1, 0)), 12),
    "cast": (lambda x: tf.cast(x, tf.float32) * 2, 6),
    "softmax": (lambda x: tf.nn.softmax(tf.reshape(x, [3, 2])), 12),
    "cumsum": (lambda x: tf.cumsum(tf.reshape(x, [3, 2]), 1), 12),
    "max": (lambda x: tf.reduce_max(tf.reshape(x, [3, 2]), 1), 6),
    "norm": (lambda x: tf.norm(tf.reshape(x, [3, 2]), axis=1), 6),
    "tile": (lambda x: tf.tile(x[:2], [3]), 6),
    "stacked": (lambda x: tf.stack([x, x * 2], 1), 12),
    "split": (lambda x: tf.split(x, 3)[1], 2),
    "diagonal": (lambda x: tf.linalg.diag_part(tf.reshape(x[:4], [2, 2])), 2),
    "to diagonal": (lambda x: tf.linalg.diag(x**2), 6),
    "broadcast": (lambda x: x[:, None] + x[None, :], 66),
    "strided": (lambda x: x[::-2] ** 2, 3),
    "convolution": (
        lambda x: tf.nn.conv1d(x[None, :, None], tf.ones([3, 1, 1], x.dtype), 1, "VALID"),
        12,
    ),
    "unknown operation": (lambda x: tf.linalg.det(tf.reshape(x[:4], [2, 2])), 4),
    "custom gradient": (lambda x: tf.custom_gradient(lambda y: (y * 2, lambda g: g * 2))(x[:3]), 9),
    "structure": (lambda x: {"b": x[0] * x[1], "a": [x[2:] ** 2]}, 6),
    "not differentiable": (lambda x: x * tf.sign(tf.reverse(x, [0])), 6),
    "nothing": (lambda x: tf.ones(3, tf.float64), 0),
}


@pytest.mark.parametrize("name", CASES)
def test_patterns_of_operations(name):
    fn, elements = CASES[name]
    x = point(6)
    sparsity = ad.jacobian_sparsity(fn, x)
    found = ad.sparse_jacobian(fn, x).toarray()
    parts = [
        ad.jacobian(lambda x, k=k: tf.nest.flatten(fn(x))[k], x)
        for k in range(len(tf.nest.flatten(fn(x))))
    ]
    want = np.concatenate([np.reshape(p, (-1, 6)) for p in parts])
    np.testing.assert_allclose(found, want, rtol=1e-6)
    assert not np.any(want[~sparsity.pattern.toarray()])
    if elements is not None:
        assert sparsity.pattern.nnz == elements


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
    with pytest.raises(ValueError, match="call it outside of it"):
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


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda s: f"{s.op}-{s.name}")
def test_no_operation_reaches_outside_its_pattern(sample):
    inputs = tuple(map(tf.constant, sample.inputs))
    if any(x.dtype.is_complex for x in inputs):
        pytest.skip("a pattern has no parts")

    def fn(*inputs):
        outs = [y for y in tf.nest.flatten(sample.call(*inputs)) if y.dtype.is_floating]
        return tf.concat([tf.reshape(tf.cast(y, tf.float64), [-1]) for y in outs] or [[0.0]], 0)

    pattern = ad.jacobian_sparsity(fn, inputs).pattern.toarray()
    found = zip(ad.jacobian(fn, inputs), sample.inputs, strict=True)
    blocks = [np.reshape(j, (len(pattern), x.size)) for j, x in found]
    outside = np.concatenate(blocks, axis=1)[~pattern]
    assert not np.any(outside)
