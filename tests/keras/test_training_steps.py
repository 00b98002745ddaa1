"""Steps of training in Keras' loop."""

import numpy as np
import pytest

import gradtape as tf

pytestmark = pytest.mark.slow

keras, layers = tf.keras, tf.keras.layers
rng = np.random.default_rng(0)


def circles(n=600):
    """Points in a plane, and whether they lie inside a circle."""
    x = rng.uniform(-1, 1, (n, 2)).astype(np.float32)
    return x, ((x**2).sum(1) < 0.5).astype(np.int32)


def network(*, logits=True):
    return keras.Sequential(
        [
            layers.Dense(16, activation="relu"),
            layers.Dense(16, activation="relu"),
            layers.Dense(2, activation=None if logits else "softmax"),
        ]
    )


def loss_function(*, logits=True):
    return keras.losses.SparseCategoricalCrossentropy(from_logits=logits)


@pytest.mark.parametrize("steps", [1, 3])
def test_several_steps_in_one_call(steps):
    x, y = circles(96)
    model = network()
    model.compile("sgd", loss_function(), steps_per_execution=steps)
    model.fit(x, y, epochs=1, batch_size=16, verbose=0)
    assert int(model.optimizer.iterations) == 6
    assert model.predict(x, batch_size=16, verbose=0).shape == (96, 2)
