"""Keras compiled through XLA: `compile(jit_compile=True)`."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest

import gradtape as tf

pytest.importorskip("jax")

pytestmark = pytest.mark.slow
if importlib.util.find_spec("keras") is None:
    pytest.skip("Keras is not installed", allow_module_level=True)


def trained(jit_compile):
    keras = tf.keras
    keras.utils.set_random_seed(0)
    x = np.random.default_rng(0).standard_normal((64, 4)).astype("f4")
    y = (x.sum(1) > 0).astype("i4")
    model = keras.Sequential(
        [
            keras.layers.Input((4,)),
            keras.layers.Dense(8, activation="relu"),
            keras.layers.BatchNormalization(),
            keras.layers.Dense(2, activation="softmax"),
        ]
    )
    model.compile("adam", "sparse_categorical_crossentropy", jit_compile=jit_compile)
    losses = model.fit(x, y, epochs=3, batch_size=16, shuffle=False, verbose=0).history["loss"]
    return [*losses, model.evaluate(x, y, verbose=0)]


def test_training_gives_the_same():
    np.testing.assert_allclose(trained(jit_compile=True), trained(jit_compile=False), rtol=1e-4)
