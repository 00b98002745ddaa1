"""Layers as in Keras 2: existing weights, functions as losses, shapes found by a call."""

import numpy as np
import pytest

import gradtape

tf = gradtape.install()
import keras  # noqa: E402

from gradtape._src.keras.legacy_layer import LegacyLayer  # noqa: E402
from gradtape._src.keras.version_two import module  # noqa: E402


class Scaled(LegacyLayer):
    def __init__(self, weight):
        super().__init__()
        self.add_weight(name="w", shape=weight.shape, getter=lambda **_: weight, trainable=True)
        self.weight = weight
        self.add_loss(lambda: tf.reduce_sum(weight**2))
        self.own = self.add_weight(name="own", shape=(), initializer="ones")

    def call(self, x):
        return x * self.weight * self.own

    def compute_output_shape(self, input_shape):
        return super().compute_output_shape(input_shape)


def test_an_existing_variable_is_trained_with_its_loss():
    weight = tf.Variable([1.0, 2.0])
    layer = Scaled(weight)
    assert [w.shape for w in layer.trainable_weights] == [(2,), ()]
    assert [float(x) for x in layer.losses] == [5]
    model = keras.Sequential([layer])
    model.compile("sgd", "mse")
    model.fit(np.ones((1, 2), np.float32), np.zeros((1, 2), np.float32), epochs=1, verbose=0)
    # The gradients are those of the mean square and of the loss of the weights.
    np.testing.assert_allclose(weight, [1 - 0.01 * 3, 2 - 0.01 * 6], rtol=1e-6)


def test_the_shape_of_the_result_is_found_by_a_call():
    layer = Scaled(tf.Variable([1.0, 2.0]))
    assert layer(keras.Input((2,))).shape == (None, 2)
    assert layer.compute_output_shape((None, 2)) == (None, 2)


def test_a_loss_that_is_a_tensor_is_one_of_a_call():
    class Regularized(LegacyLayer):
        def call(self, x):
            self.add_loss([tf.reduce_sum(x), lambda: tf.constant(7.0)])
            return x

    layer = Regularized()
    layer(tf.ones([2]))
    assert [float(x) for x in layer.losses] == [2, 7]


def test_layers_of_keras_are_instances():
    assert isinstance(keras.layers.Dense(1), LegacyLayer)
    assert issubclass(keras.layers.Dense, LegacyLayer)
    assert not isinstance(keras.layers.Dense(1), Scaled)
    assert not isinstance(1, LegacyLayer)
    assert module("layers").Layer is LegacyLayer
    assert module("").layers.Layer is LegacyLayer
    assert module("backend").learning_phase() == 0


def test_weights_are_variables_and_may_begin_with_their_name():
    class Weighted(LegacyLayer):
        def build(self, input_shape):
            self.w = self.add_weight("w", shape=(2,), initializer="ones")
            self.b = self.add_weight(name="b", shape=(), autocast=False)

    layer = Weighted()
    layer.build((None, 2))
    assert isinstance(layer.w, tf.Variable)
    assert [w.name for w in layer.trainable_weights] == ["w", "b"]
    layer.w.assign([3.0, 4.0])
    np.testing.assert_array_equal(layer.get_weights()[0], [3, 4])


def test_objects_of_registered_types_are_symbolic_tensors():
    class Pair:
        def __init__(self, value):
            self.value = value

    class Pairing(LegacyLayer):
        def call(self, x):
            return Pair(x)

    tf.register_tensor_conversion_function(Pair, lambda x, *_, **__: tf.convert_to_tensor(x.value))
    module("__internal__").utils.register_symbolic_tensor_type(Pair)
    given = keras.Input((2,))
    found = Pairing()(given)
    assert found.shape == (None, 2)
    assert isinstance(keras.Model(given, found)(tf.ones([3, 2])), Pair)


@pytest.mark.parametrize("base", ["Layer", "Lambda"])
def test_metrics_and_training_in_calls(base):
    class Measured(getattr(module("layers"), base)):
        def call(self, x, **kwargs):
            self.add_metric(tf.reduce_sum(x), name="sum", aggregation="mean")
            return x * (2.0 if kwargs.get("training") else 1.0)

    layer = Measured(lambda x: x) if base == "Lambda" else Measured()
    assert layer(tf.ones([3])).numpy().tolist() == [1.0] * 3
    assert layer(2 * tf.ones([3]), training=True).numpy().tolist() == [4.0] * 3
    (metric,) = layer.metrics
    assert (metric.name, float(metric.result())) == ("sum", 4.5)


def test_inputs_that_are_not_tensors():
    class Length(LegacyLayer):
        def call(self, x):
            return tf.constant(float(len(x)))

    assert float(Length()("abc")) == 3.0


class Holder(tf.Module):
    def __init__(self, value):
        super().__init__()
        self.scale = tf.Variable(value)
        self.count = tf.Variable(3.0, trainable=False)


class WithModules(LegacyLayer):
    def __init__(self):
        super().__init__()
        self.bias = tf.Variable(1.0)
        self.module = Holder(4.0)
        self.weight = self.add_weight(name="w", shape=(2,), initializer="ones")
        self.nested = {"a": [tf.Variable(6.0), self.module]}
        self.again = self.bias

    def call(self, x):
        return x * self.weight * self.module.scale + self.bias + self.nested["a"][0]


def sums(variables):
    return [float(tf.reduce_sum(tf.convert_to_tensor(v))) for v in variables]


def test_variables_and_modules_in_attributes_are_weights():
    layer = WithModules()
    assert sums(layer.trainable_weights) == sums(layer.trainable_variables) == [2, 1, 4, 6]
    assert sums(layer.non_trainable_weights) == [3]
    assert sums(layer.variables) == sums(layer.weights) == [2, 1, 4, 6, 3]
    layer.trainable = False
    assert layer.trainable_weights == []
    assert len(layer.non_trainable_weights) == 5


def test_variables_in_attributes_are_trained_by_fit():
    layer = WithModules()
    model = keras.Sequential([layer])
    model.compile("sgd", "mse")
    ones = np.ones((1, 2), np.float32)
    model.fit(ones, 10 * ones, epochs=1, verbose=0)
    # The result is 11. The gradient of the mean square is 1 for each of its two elements.
    np.testing.assert_allclose(layer.bias, 1 - 0.01 * 2, rtol=1e-6)
    np.testing.assert_allclose(layer.module.scale, 4 - 0.01 * 2, rtol=1e-6)
    np.testing.assert_allclose(layer.weight, [1 - 0.01 * 4] * 2, rtol=1e-6)
    assert float(layer.module.count) == 3
