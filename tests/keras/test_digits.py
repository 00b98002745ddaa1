"""A convolutional network learns handwritten digits."""

import numpy as np
import pytest

import gradtape as tf

pytestmark = pytest.mark.slow

datasets = pytest.importorskip("sklearn.datasets")
keras, layers = tf.keras, tf.keras.layers


def test_a_convolutional_network_learns_digits():
    x, y = datasets.load_digits(return_X_y=True)
    x, y = (x / 16).astype(np.float32).reshape(-1, 8, 8, 1), y.astype(np.int32)
    order = np.random.default_rng(0).permutation(len(x))
    train, test = order[:1280], order[1280:]
    model = keras.Sequential(
        [
            layers.Conv2D(16, 3, padding="same", activation="relu"),
            layers.MaxPooling2D(),
            layers.Conv2D(32, 3, padding="same", activation="relu"),
            layers.Flatten(),
            layers.Dense(10),
        ]
    )
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(6e-3), loss, metrics=["accuracy"])
    model.fit(x[train], y[train], batch_size=64, epochs=8, verbose=0)
    assert model.evaluate(x[test], y[test], verbose=0)[1] >= 0.97
