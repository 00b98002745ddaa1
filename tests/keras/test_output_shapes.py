"""Shapes that Keras finds without running a layer."""

import numpy as np
import pytest

import gradtape as tf

pytestmark = pytest.mark.slow

layers = tf.keras.layers
rng = np.random.default_rng(5)


def normal(*shape):
    return rng.normal(size=shape).astype(np.float32)


@pytest.mark.parametrize("shape", [(6,), (None, 6)])
def test_shapes_of_a_custom_layer_are_found(shape):
    class Custom(layers.Layer):
        def __init__(self):
            super().__init__()
            self.dense = layers.Dense(4)

        def call(self, x):
            return tf.concat([self.dense(x), x], -1)[..., 1:]

    inputs = tf.keras.Input(shape)
    outputs = Custom()(inputs)
    assert outputs.shape == (None, *shape[:-1], 9)
    model = tf.keras.Model(inputs, outputs)
    x = normal(3, *(5 if n is None else n for n in shape))
    assert model(x).shape == (*x.shape[:-1], 9)
