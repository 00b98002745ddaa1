"""Two small networks and how they are trained, for TensorFlow and gradtape alike."""

from __future__ import annotations

from typing import Any

import numpy as np

POLICIES = ["float32", "mixed_bfloat16", "mixed_float16"]
STEPS = 100


def _dense(keras):
    layers = keras.layers
    return keras.Sequential(
        [
            keras.Input((20,)),
            layers.Dense(32, activation="relu"),
            layers.LayerNormalization(),
            layers.Dense(32, activation="tanh"),
            layers.Dense(5, dtype="float32"),
        ]
    )


def _conv(keras):
    layers = keras.layers
    return keras.Sequential(
        [
            keras.Input((10, 10, 3)),
            layers.Conv2D(8, 3, activation="relu"),
            layers.BatchNormalization(),
            layers.AveragePooling2D(2),
            layers.DepthwiseConv2D(3, padding="same", activation="relu"),
            layers.Flatten(),
            layers.Dense(5, dtype="float32"),
        ]
    )


def _one_output(keras):
    """Its bias has a gradient of as many terms of one sign as there are examples."""
    layers = keras.layers
    return keras.Sequential(
        [keras.Input((8,)), layers.Dense(16, activation="relu"), layers.Dense(1)]
    )


NETWORKS = {
    "one output": (_one_output, (4000, 8)),
    "dense": (_dense, (600, 20)),
    "conv": (_conv, (40, 10, 10, 3)),
}


def losses(keras: Any, network: str, policy: str) -> list[float]:
    """The loss before each of many steps, from given weights, on given data.

    Args:
      keras: Keras, as its engine loads it.
      network: Its name, one of `NETWORKS`.
      policy: The name of a dtype policy of Keras.

    Returns:
      As many numbers as steps.
    """
    make, shape = NETWORKS[network]
    draw = np.random.default_rng(7)
    x = draw.standard_normal(shape).astype(np.float32)
    directions = draw.standard_normal((int(np.prod(shape[1:])), 5))
    scores = x.reshape(len(x), -1) @ directions
    one = network == "one output"
    target = scores[:, :1] + 20 if one else np.argmax(scores, -1)
    before = keras.config.dtype_policy()
    keras.config.set_dtype_policy(policy)
    try:
        model = make(keras)
        weights = model.get_weights()
        drawn = [(draw.standard_normal(w.shape) * 0.2).astype(np.float32) for w in weights]
        model.set_weights([d if w.ndim > 1 else w for d, w in zip(drawn, weights, strict=True)])
        classes = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        rate, loss = (0.001, "mse") if one else (0.05, classes)
        model.compile(keras.optimizers.SGD(rate, momentum=0.9), loss)
        return [float(model.train_on_batch(x, target)) for _ in range(STEPS)]
    finally:
        keras.config.set_dtype_policy(before)
