"""What gradtape does in Keras' place gives what Keras itself gives."""

import numpy as np
import pytest

import gradtape as tf

keras, layers = tf.keras, tf.keras.layers
rng = np.random.default_rng(0)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"return_sequences": True, "go_backwards": True},
        {"return_state": True, "use_bias": False},
        {"return_sequences": True, "return_state": True, "dropout": 0.5},
    ],
)
def test_an_lstm_is_a_loop_over_its_cell(options):
    x = tf.constant(rng.standard_normal((3, 5, 4)).astype(np.float32))
    quick = layers.LSTM(6, **options)
    quick(x)
    cell = quick.cell
    of_layer = {k: v for k, v in options.items() if k not in ("use_bias", "dropout")}
    plain = layers.RNN(cell, **of_layer)
    found = []
    for layer in (quick, plain):
        with tf.GradientTape() as tape:
            tape.watch(x)
            outputs = tf.nest.flatten(layer(x))
            loss = tf.add_n([tf.reduce_sum(tf.sin(out)) for out in outputs])
        found.append([*outputs, *tape.gradient(loss, [x, *[v.value for v in cell.weights]])])
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


def test_an_lstm_with_masks_and_other_activations_is_keras_own():
    x = rng.standard_normal((2, 4, 3)).astype(np.float32)
    mask = np.array([[1, 1, 0, 0], [1, 1, 1, 1]], bool)
    lstm = layers.LSTM(5, activation="softsign")
    short = lstm(tf.constant(x[:1, :2]))
    np.testing.assert_allclose(lstm(tf.constant(x), mask=mask)[:1], short, rtol=1e-5)


def test_recurrent_layers_ask_for_no_cudnn(monkeypatch):
    gpu = tf.config.LogicalDevice("/device:GPU:0", "GPU")
    monkeypatch.setattr(tf.config, "list_logical_devices", lambda device_type=None: [gpu])
    x = tf.constant(rng.standard_normal((2, 4, 3)).astype(np.float32))
    gru = layers.GRU(5)
    assert gru(x).shape == (2, 5)
    assert gru.supports_jit


def test_adam_on_rows_takes_the_square_of_each():
    # Keras squares rows before it adds up those that come again (checked with TensorFlow 2.21).
    table = tf.Variable(np.ones((4, 2), np.float32))
    optimizer = keras.optimizers.Adam(0.1)
    values = np.array([[1.0, -2.0], [3.0, 0.5], [0.5, 0.5]], np.float32)
    rows = tf.IndexedSlices(tf.constant(values), tf.constant([1, 1, 3]), tf.constant([4, 2]))
    m = v = np.zeros((4, 2))
    expected = np.ones((4, 2))
    first, second = np.zeros((4, 2)), np.zeros((4, 2))
    np.add.at(first, [1, 1, 3], values)
    np.add.at(second, [1, 1, 3], values**2)
    for t in (1, 2):
        optimizer.apply_gradients([(rows, table)])
        m, v = 0.9 * m + 0.1 * first, 0.999 * v + 0.001 * second
        rate = 0.1 * np.sqrt(1 - 0.999**t) / (1 - 0.9**t)
        expected = expected - rate * m / (np.sqrt(v) + 1e-7)
        np.testing.assert_allclose(table, expected, rtol=1e-5)


def test_arguments_reach_the_layers_that_take_them():
    class Inner(layers.Layer):
        def call(self, x, training=None, scale=2.0):
            return x * scale if training else x

    class Outer(layers.Layer):
        def __init__(self):
            super().__init__()
            self.inner = Inner()

        def call(self, x):
            return self.inner(x)

    x = tf.ones((2, 3))
    outer = Outer()
    assert float(outer(x, training=True)[0, 0]) == 2
    assert float(outer(x)[0, 0]) == 1
    assert float(outer.inner(x, training=True, scale=3.0)[0, 0]) == 3
    with pytest.raises(TypeError, match="unexpected keyword argument 'nothing'"):
        outer(x, nothing=True)


def test_masks_travel_through_layers():
    x = tf.constant([[1, 2, 0], [3, 0, 0]])
    embedded = layers.Embedding(4, 2, mask_zero=True)(x)
    means = layers.GlobalAveragePooling1D()(layers.Dropout(0.5)(embedded))
    expected = [tf.reduce_mean(embedded[0, :2], 0), embedded[1, 0]]
    np.testing.assert_allclose(means, expected, rtol=1e-6)
