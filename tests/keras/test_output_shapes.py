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


class Blend(tf.keras.Model):
    """A model that nothing but its first call builds."""

    def __init__(self):
        super().__init__()
        self.dense = layers.Dense(2)

    def call(self, inputs):
        parts = tf.keras.tree.flatten(inputs)
        return self.dense(parts[0]) + tf.reduce_sum(parts[-1], 1, keepdims=True)


STRUCTURES = [lambda x: x, lambda x: [x, x], lambda x: (x, x), lambda x: {"a": x, "b": x}]


@pytest.mark.parametrize("jit_compile", [False, True])
@pytest.mark.parametrize("build", ["fit", "predict"])
@pytest.mark.parametrize("structure", STRUCTURES)
def test_a_model_that_is_built_in_a_step_is_saved_with_its_signature(
    structure, build, jit_compile, tmp_path
):
    if jit_compile:
        pytest.importorskip("jax")
    x = normal(4, 3)
    model = Blend()
    model.compile("sgd", "mse", jit_compile=jit_compile)
    if build == "fit":
        model.fit(structure(x), normal(4, 2), verbose=0)
    else:
        model.predict(structure(x), verbose=0)
    tf.saved_model.save(model, tmp_path)
    serve = tf.saved_model.load(tmp_path).signatures["serving_default"]
    count = len(tf.keras.tree.flatten(structure(x)))
    found = serve(**dict.fromkeys(["inputs", "inputs_1"][:count], tf.constant(x)))["output_0"]
    np.testing.assert_allclose(found, model(structure(x)), rtol=1e-5, atol=1e-6)


def test_a_model_of_several_arguments_is_saved_without_a_signature(tmp_path):
    class Several(tf.keras.Model):
        def build(self, *shapes):
            self.dense = layers.Dense(1)
            self.dense.build((None, 1))

        @tf.function
        def call(self, *inputs):
            return self.dense(inputs[0]) + inputs[-1]

    given = [tf.constant(normal(2, 1)) for _ in range(3)]
    model = Several()
    expected = model(*given)
    tf.saved_model.save(model, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    assert not loaded.signatures
    np.testing.assert_allclose(loaded.call(*given), expected, rtol=1e-6)
