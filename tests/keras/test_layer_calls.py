"""Arguments and masks on their way through layers."""

import numpy as np
import pytest

import gradtape as tf

pytestmark = pytest.mark.slow

keras, layers = tf.keras, tf.keras.layers


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
