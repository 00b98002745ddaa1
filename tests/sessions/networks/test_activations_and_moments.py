import numpy as np
import pytest

import gradtape as tf

v1 = tf.compat.v1
X = np.array([[1.0, -2.0], [3.0, 4.0]], "f")
W = np.array([[1.0, 0.0], [1.0, -1.0]], "f")


def test_layers():
    np.testing.assert_allclose(v1.nn.xw_plus_b(X, W, [0.5, 0.5]), X @ W + 0.5)
    np.testing.assert_allclose(v1.nn.relu_layer(X, W, [0.5, 0.5]), np.maximum(X @ W + 0.5, 0))


def test_moments():
    count, total, squares, shift = v1.nn.sufficient_statistics(X, [0], keep_dims=True)
    assert (float(count), shift) == (2.0, None)
    np.testing.assert_allclose(total, X.sum(0, keepdims=True))
    np.testing.assert_allclose(squares, (X * X).sum(0, keepdims=True))


def test_normalization_of_a_batch_of_any_size():
    data = np.random.default_rng(0).normal(size=(5, 2, 3, 4)).astype("f")
    scale, offset = np.arange(1.0, 5.0, dtype="f"), np.ones(4, "f")
    mean, variance = data.mean((0, 1, 2)), data.var((0, 1, 2))
    wanted = (data - mean) / np.sqrt(variance + 1e-3) * scale + offset
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None, 2, 3, 4])
        found = session.run(v1.nn.fused_batch_norm(x, scale, offset), {x: data})
        np.testing.assert_allclose(found[0], wanted, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(found[1], mean, rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(found[2], variance * 30 / 29, rtol=1e-4)
        fixed = v1.nn.fused_batch_norm(x, scale, offset, mean, variance, is_training=False)
        np.testing.assert_allclose(session.run(fixed[0], {x: data}), wanted, rtol=1e-4, atol=1e-5)
        with pytest.raises(ValueError, match="must be a 1D tensor"):
            v1.nn.fused_batch_norm(x, scale, offset, is_training=False)


def test_old_names_of_arguments():
    for name in ("softmax", "log_softmax"):
        wanted = getattr(tf.nn, name)(X, axis=0)
        np.testing.assert_array_equal(getattr(v1.nn, name)(X, dim=0), wanted)
        with pytest.raises(ValueError, match="Cannot specify both"):
            getattr(v1.nn, name)(X, 0, dim=0)
    assert v1.nn.crelu(X, "name", 0).shape == (4, 2)
    mean, variance = v1.nn.moments(X, [0], None, "name", True)
    np.testing.assert_allclose(mean, X.mean(0, keepdims=True))
    np.testing.assert_allclose(variance, X.var(0, keepdims=True))
    mean, _ = v1.nn.weighted_moments(X, [0], np.ones_like(X), "name", keepdims=True)
    np.testing.assert_allclose(mean, X.mean(0, keepdims=True))
    image = X[None, None]
    found = v1.nn.batch_norm_with_global_normalization(
        image, [1.0, 2.0], [4.0, 4.0], [0.5, 0.5], [3.0, 3.0], 0.0, True
    )
    np.testing.assert_allclose(found, (image - [1.0, 2.0]) / 2.0 * 3.0 + 0.5)
    unscaled = v1.nn.batch_norm_with_global_normalization(
        input=image,
        mean=[1.0, 2.0],
        variance=[4.0, 4.0],
        beta=[0.5, 0.5],
        gamma=[3.0, 3.0],
        variance_epsilon=0.0,
        scale_after_normalization=False,
    )
    np.testing.assert_allclose(unscaled, (image - [1.0, 2.0]) / 2.0 + 0.5)
