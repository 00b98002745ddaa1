"""Keras models that are saved here and loaded, run, differentiated and trained by TensorFlow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import gradtape as tf

MODELS: dict[str, Callable[[], tuple[Any, list[Any]]]] = {}
"""By name, what gives a module and inputs for it."""

L = tf.keras.layers
_random = np.random.default_rng(5)


def model(*shape: int | None, dtype: str = "float64") -> Callable[[Any], Any]:
    """Enters a model whose function is decorated: it makes the layers' outputs from an input.

    Args:
      *shape: The shape of an example; unknown lengths are 5 in the recorded input.
      dtype: The dtype of the input.
    """

    def enter(build: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def made() -> tuple[Any, list[Any]]:
            before = tf.keras.config.dtype_policy()  # layers follow it, and not `floatx` alone
            tf.keras.backend.set_floatx("float64")
            tf.keras.config.set_dtype_policy("float64")
            try:
                tf.keras.utils.set_random_seed(3)
                inputs = tf.keras.Input(shape, dtype=dtype)
                network = tf.keras.Model(inputs, build(inputs))
            finally:
                tf.keras.backend.set_floatx("float32")
                tf.keras.config.set_dtype_policy(before)
            module = tf.Module()
            module.v = [v.value for v in network.trainable_variables]
            module.network = network
            spec = tf.TensorSpec([None, *shape], dtype)
            module.f = tf.function(lambda x: network(x, training=False), input_signature=[spec])
            size = (3, *[5 if n is None else n for n in shape])
            if dtype == "float64":
                return module, [_random.standard_normal(size)]
            return module, [_random.integers(0, 9, size).astype(dtype)]

        MODELS[f"keras_{build.__name__.strip('_')}"] = made
        return build

    return enter


@model(4)
def _dense(x: Any) -> Any:
    x = L.Dropout(0.5)(L.BatchNormalization()(L.Dense(5, activation="gelu")(x)))
    return L.Dense(2, activation="softmax")(x)


@model(8, 8, 3)
def _convolutional(x: Any) -> Any:
    x = L.BatchNormalization()(L.Conv2D(4, 3, padding="same", activation="relu")(x))
    x = L.SeparableConv2D(4, 3, dilation_rate=2, padding="same")(L.MaxPooling2D()(x))
    x = L.Conv2DTranspose(2, 2, strides=2)(L.DepthwiseConv2D(2)(x))
    return L.Dense(2)(L.GlobalAveragePooling2D()(x))


@model(None, 3)
def _recurrent(x: Any) -> Any:
    return L.Dense(2)(L.Bidirectional(L.GRU(3))(L.LSTM(4, return_sequences=True)(x)))


@model(6, dtype="int32")
def _attention(x: Any) -> Any:
    x = L.Embedding(10, 8)(x)
    x = L.LayerNormalization()(x + L.MultiHeadAttention(2, 4)(x, x, use_causal_mask=True))
    return L.Dense(3)(L.GlobalMaxPooling1D()(x))


@model(6, 5, 4, 2)
def _volumes(x: Any) -> Any:
    return L.Flatten()(L.GroupNormalization(1)(L.Conv3D(2, 2)(L.AveragePooling3D(2)(x))))
