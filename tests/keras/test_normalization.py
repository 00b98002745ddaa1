"""Layer normalization, against Keras' own function."""

import numpy as np
import pytest

import gradtape as tf

pytestmark = pytest.mark.slow

layers = tf.keras.layers
rng = np.random.default_rng(0)


@pytest.mark.parametrize("axis", [-1, 1, [1, 2], [-2, -1]])
@pytest.mark.parametrize("parts", [{}, {"center": False}, {"scale": False}])
@pytest.mark.parametrize("dtype", ["float32", "float64", "mixed_float16"])
def test_a_layer_normalizes_as_in_a_graph(axis, parts, dtype):
    x = tf.constant(rng.standard_normal((6, 5, 4)) + 1, tf.float64 if dtype[-2:] == "64" else None)
    layer = layers.LayerNormalization(axis, dtype=dtype, **parts)
    layer(x)
    for v in layer.weights:
        v.assign(rng.standard_normal(v.shape))

    def gradients():
        weights = [v.value for v in layer.weights]
        with tf.GradientTape() as tape:
            tape.watch([x, *weights])
            y = layer(x)
            loss = tf.reduce_sum(tf.sin(tf.cast(y, tf.float64)))
        return [y, *tape.gradient(loss, [x, *weights])]

    digits = 2e-3 if dtype == "mixed_float16" else 2e-5
    for a, b in zip(gradients(), tf.function(gradients)(), strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_allclose(a, b, rtol=digits, atol=digits)


def test_layers_normalize_by_one_operation():
    x = tf.constant(rng.standard_normal((6, 5)).astype(np.float32))
    for layer in (layers.LayerNormalization(), layers.BatchNormalization()):
        layer(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            layer(x)
        names = [record[0].primitive.name for record in tape.records]
        assert "Normalization" in names
