"""Layers against values worked out with NumPy, and the tape's sight of Keras' variables."""

import numpy as np
import pytest

import gradtape as tf

pytestmark = pytest.mark.slow

layers = tf.keras.layers
rng = np.random.default_rng(5)


def normal(*shape):
    return rng.normal(size=shape).astype(np.float32)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def test_dense_and_its_gradients():
    x, layer = normal(4, 5), layers.Dense(3, activation="relu")
    with tf.GradientTape() as tape:
        y = layer(x)
        loss = tf.reduce_sum(y**2)
    kernel, bias = layer.kernel.numpy(), layer.bias.numpy()
    expected = np.maximum(x @ kernel + bias, 0)
    np.testing.assert_allclose(y, expected, rtol=1e-5)
    assert [v.name for v in tape.watched_variables()] == ["dense/kernel:0", "dense/bias:0"]
    dk, db = tape.gradient(loss, layer.trainable_variables)
    np.testing.assert_allclose(dk, x.T @ (2 * expected), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(db, (2 * expected).sum(0), rtol=1e-4)


def test_variables_of_keras_are_sources_and_are_watched():
    v = tf.keras.Variable([1.0, 2.0], trainable=False, name="v")
    with tf.GradientTape(watch_accessed_variables=False, persistent=True) as tape:
        tape.watch(v)
        y = v * v
        z = tf.reduce_sum(v) + 3.0 * v[1]
    assert tape.gradient(y, v).numpy().tolist() == [2, 4]
    assert tape.gradient(z, [v])[0].numpy().tolist() == [1, 4]
    assert tape.jacobian(y, v).numpy().tolist() == [[2, 0], [0, 4]]


def test_a_symbolic_tensor_cannot_be_watched():
    with tf.GradientTape() as tape, pytest.raises(ValueError, match="KerasTensor"):
        tape.watch(tf.keras.Input((3,)))


def test_batch_normalization():
    x, layer = normal(16, 3) * 3 + 1, layers.BatchNormalization(momentum=0.9)
    y = layer(x, training=True)
    expected = (x - x.mean(0)) / np.sqrt(x.var(0) + 1e-3)
    np.testing.assert_allclose(y, expected, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(layer.moving_mean, 0.1 * x.mean(0), rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(layer.moving_variance, 0.9 + 0.1 * x.var(0), rtol=1e-4)
    assert len(layer.trainable_variables) == 2


def test_layer_normalization():
    x = normal(4, 6)
    expected = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-3)
    np.testing.assert_allclose(layers.LayerNormalization()(x), expected, rtol=1e-4, atol=1e-5)


def convolved(x, kernel):
    h, w = kernel.shape[:2]
    rows, columns = x.shape[1] - h + 1, x.shape[2] - w + 1
    out = np.zeros((x.shape[0], rows, columns, kernel.shape[3]))
    for i in range(h):
        for j in range(w):
            out += x[:, i : i + rows, j : j + columns] @ kernel[i, j]
    return out


def test_convolution():
    x, layer = normal(2, 7, 6, 3), layers.Conv2D(4, (3, 2))
    y = layer(x)
    np.testing.assert_allclose(
        y, convolved(x, layer.kernel.numpy()) + layer.bias.numpy(), rtol=1e-4, atol=1e-5
    )


def test_convolution_in_groups():
    x, layer = normal(2, 5, 5, 4), layers.Conv2D(6, 3, groups=2, use_bias=False)
    y, kernel = layer(x), layer.kernel.numpy()
    parts = [convolved(x[..., 2 * g : 2 * g + 2], kernel[..., 3 * g : 3 * g + 3]) for g in (0, 1)]
    np.testing.assert_allclose(y, np.concatenate(parts, -1), rtol=1e-4, atol=1e-5)


def test_pooling():
    x = normal(2, 4, 6, 3)
    blocks = x.reshape(2, 2, 2, 3, 2, 3)
    np.testing.assert_allclose(layers.MaxPooling2D()(x), blocks.max((2, 4)))
    np.testing.assert_allclose(layers.AveragePooling2D(2)(x), blocks.mean((2, 4)), rtol=1e-4)
    np.testing.assert_allclose(layers.GlobalAveragePooling2D()(x), x.mean((1, 2)), rtol=1e-4)


def test_lstm():
    x, layer = normal(2, 5, 3), layers.LSTM(4)
    y = layer(x)
    kernel, recurrent, bias = (v.numpy() for v in layer.variables[:3])
    h = c = np.zeros((2, 4))
    for t in range(5):
        i, f, g, o = np.split(x[:, t] @ kernel + h @ recurrent + bias, 4, -1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
    np.testing.assert_allclose(y, h, rtol=1e-4, atol=1e-5)


def test_attention():
    x, layer = normal(2, 5, 4), layers.MultiHeadAttention(num_heads=2, key_dim=3, use_bias=False)
    y = layer(x, x)
    q, k, v, out = (w.numpy() for w in layer.trainable_variables)
    query, key, value = (np.einsum("bte,ehd->bhtd", x, w) for w in (q, k, v))
    weights = softmax(np.einsum("bhtd,bhsd->bhts", query, key) / np.sqrt(3))
    expected = np.einsum("bhts,bhsd,hde->bte", weights, value, out)
    np.testing.assert_allclose(y, expected, rtol=1e-3, atol=1e-5)


def test_embedding_gives_rows_alone():
    layer, ids = layers.Embedding(1000, 2), np.array([[3, 5], [3, 999]])
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(layer(ids) * 2.0)
    (gradient,) = tape.gradient(loss, layer.trainable_variables)
    assert isinstance(gradient, tf.IndexedSlices)
    dense = tf.convert_to_tensor(gradient).numpy()
    assert dense[[3, 5, 999, 0]].tolist() == [[4, 4], [2, 2], [2, 2], [0, 0]]


def test_dropout():
    x = np.ones((200, 200), np.float32)
    y = layers.Dropout(0.25)(x, training=True).numpy()
    assert set(np.unique(y)) == {0, np.float32(1 / 0.75)}
    assert abs((y == 0).mean() - 0.25) < 0.02
    assert layers.Dropout(0.25)(x, training=False).numpy().all()


def test_masks_travel_with_tensors():
    model = tf.keras.Sequential([layers.Embedding(9, 4, mask_zero=True), layers.LSTM(3)])
    short, padded = np.array([[1, 2]]), np.array([[1, 2, 0, 0]])
    np.testing.assert_allclose(model(short), model(padded), rtol=1e-5)


def test_functional_models_and_merging():
    a, b = tf.keras.Input((3,), name="a"), tf.keras.Input((3,), name="b")
    merged = [layers.Add()([a, b]), layers.Concatenate()([a, b]), layers.Dot(1)([a, b])]
    model = tf.keras.Model({"a": a, "b": b}, merged)
    x, y = normal(2, 3), normal(2, 3)
    total, both, product = model({"a": x, "b": y})
    np.testing.assert_allclose(total, x + y, rtol=1e-6)
    assert both.shape == (2, 6)
    np.testing.assert_allclose(product, (x * y).sum(-1, keepdims=True), rtol=1e-5)


def test_second_derivatives_through_layers():
    x, model = (
        tf.constant(normal(4, 2)),
        tf.keras.Sequential([layers.Dense(8, activation="tanh"), layers.Dense(1)]),
    )
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = model(x)
        slope = inner.gradient(y, x)
        penalty = tf.reduce_sum(slope**2)
    gradients = outer.gradient(penalty, model.trainable_variables)
    kernel, bias, last = (v.numpy() for v in model.trainable_variables[:3])
    hidden = np.tanh(x.numpy() @ kernel + bias)
    jacobian = ((1 - hidden**2) * last[:, 0]) @ kernel.T
    np.testing.assert_allclose(slope, jacobian, rtol=1e-4)
    assert gradients[3] is None  # the last bias
    expected = 2 * ((1 - hidden**2) * (jacobian @ kernel)).sum(0)
    np.testing.assert_allclose(gradients[2][:, 0], expected, rtol=1e-4, atol=1e-5)


def test_the_operations_of_keras():
    ops, x = tf.keras.ops, normal(3, 4)
    np.testing.assert_allclose(ops.softmax(x), softmax(x), rtol=1e-5)
    np.testing.assert_allclose(ops.einsum("ij,kj->ik", x, x), x @ x.T, rtol=1e-5)
    np.testing.assert_allclose(ops.add(1, x), 1 + x)
    assert ops.add(tf.constant([1]), 1.5).dtype == "float32"
    np.testing.assert_allclose(ops.where(x > 0, x, 0), np.maximum(x, 0))
    np.testing.assert_allclose(ops.slice_update(x, (1, 1), [[9.0, 9.0]])[1, 1:3], [9, 9])
    np.testing.assert_allclose(ops.logsumexp(x, axis=1), np.log(np.exp(x).sum(1)), rtol=1e-5)
    assert ops.fori_loop(0, 4, lambda i, v: v + i, 0) == 6


def test_layers_made_under_a_scope_are_computed_again():
    x = normal(64, 16)

    def model():
        tf.keras.utils.set_random_seed(3)
        hidden = [layers.Dense(16, activation="gelu") for _ in range(5)]
        return tf.keras.Sequential([tf.keras.Input((16,)), *hidden])

    plain = model()
    with tf.keras.RematScope(mode="full"):
        again = model()
    held, slopes = [], []
    for network in (plain, again):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(network(x) ** 2)
        held.append(tape.summary().bytes)
        slopes.append(tape.gradient(loss, network.trainable_variables))
    assert held[1] < 0.6 * held[0]
    for a, b in zip(*slopes, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)
