"""Sparsity patterns: the dependencies of a result's elements on those of an argument."""

import numpy as np
import pytest
from samples import SAMPLES

import gradtape as tf

ad = tf.autodiff


def point(n, dtype=tf.float64):
    return tf.constant(np.random.default_rng(0).normal(size=n), dtype)


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


@pytest.mark.slow
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
