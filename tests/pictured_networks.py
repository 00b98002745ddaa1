"""Networks whose tapes the tests of pictures draw."""

import numpy as np
import pytest

import gradtape as tf

try:
    from gradtape import keras
except ImportError:  # Keras is not installed
    keras = None


def recorded(model, x, y):
    """The persistent tape and the loss of one call of a classifier."""
    loss_of = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    with tf.GradientTape(persistent=True) as tape:
        loss = loss_of(y, model(x, training=True))
    return tape, loss


def lstm():
    layers = keras.layers
    inner = [
        layers.Embedding(50, 8, name="words"),
        layers.LSTM(16, name="memory"),
        layers.Dense(5, name="head"),
    ]
    model = keras.Sequential([keras.Input((20,)), *inner], name="net")
    return recorded(model, np.arange(80).reshape(4, 20) % 50, np.arange(4))


def convolutions():
    layers = keras.layers
    inner = [
        layers.Conv2D(4, 3, padding="same", name="conv"),
        layers.BatchNormalization(name="norm"),
        layers.ReLU(name="relu"),
        layers.GlobalAveragePooling2D(name="pool"),
        layers.Dense(3, name="head"),
    ]
    model = keras.Sequential([keras.Input((8, 8, 3)), *inner], name="net")
    images = np.random.default_rng(0).normal(size=(2, 8, 8, 3)).astype(np.float32)
    return recorded(model, images, np.arange(2))


def transformer():
    layers = keras.layers
    tokens = keras.Input((6,))
    x = layers.Embedding(20, 8, name="words")(tokens)
    attended = layers.MultiHeadAttention(2, 4, name="attention")(x, x)
    x = layers.LayerNormalization(name="norm")(layers.Add(name="add")([x, attended]))
    x = layers.Dense(20, name="head")(layers.Dense(16, activation="gelu", name="up")(x))
    words = np.arange(12).reshape(2, 6)
    return recorded(keras.Model(tokens, x, name="net"), words, words)


NETWORKS = pytest.mark.parametrize("network", [lstm, convolutions, transformer])
NEEDS_KERAS = pytest.mark.skipif(keras is None, reason="Keras is not installed")


def cut_tape():
    """A tape whose loss has gradients cut by round, NumPy, a state and stop_gradient."""
    x = tf.Variable([[1.0, 2.0], [3.0, 4.0]], name="x")
    w = tf.Variable([1.0, 2.0], name="w")
    kept = tf.Variable([1.0, 1.0], name="kept")
    state = tf.Variable(0.0, name="state", trainable=False)

    def features(x):
        return tf.round(x * 2.0) + tf.stop_gradient(tf.sin(x))

    with tf.debugging.explanations(), tf.GradientTape(persistent=True) as tape:
        f = features(x)
        n = np.mean((x * w).numpy(), axis=0)
        state.assign(tf.reduce_sum(w * w))
        large = tf.where(kept > 0.0, kept, 0.0)
        loss = tf.reduce_mean(f + n + state + large)
    return tape, loss


def by_name(graph):
    """Returns the recorded operations of a picture by their names."""
    return {op.name: op for op in graph.recording.operations}
