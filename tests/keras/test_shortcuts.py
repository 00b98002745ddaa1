"""What gradtape does in Keras' place gives what Keras itself gives."""

from importlib import import_module
from itertools import product
from random import Random

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.keras import optimizer_steps

keras, layers = tf.keras, tf.keras.layers
rng = np.random.default_rng(0)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"return_sequences": True, "go_backwards": True},
        {"return_state": True, "use_bias": False},
        {"return_sequences": True, "return_state": True, "dropout": 0.5},
    ],
)
def test_an_lstm_is_a_loop_over_its_cell(options):
    x = tf.constant(rng.standard_normal((3, 5, 4)).astype(np.float32))
    quick = layers.LSTM(6, **options)
    quick(x)
    cell = quick.cell
    of_layer = {k: v for k, v in options.items() if k not in ("use_bias", "dropout")}
    plain = layers.RNN(cell, **of_layer)
    found = []
    for layer in (quick, plain):
        with tf.GradientTape() as tape:
            tape.watch(x)
            outputs = tf.nest.flatten(layer(x))
            loss = tf.add_n([tf.reduce_sum(tf.sin(out)) for out in outputs])
        found.append([*outputs, *tape.gradient(loss, [x, *[v.value for v in cell.weights]])])
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


def test_an_lstm_with_masks_and_other_activations_is_keras_own():
    x = rng.standard_normal((2, 4, 3)).astype(np.float32)
    mask = np.array([[1, 1, 0, 0], [1, 1, 1, 1]], bool)
    lstm = layers.LSTM(5, activation="softsign")
    short = lstm(tf.constant(x[:1, :2]))
    np.testing.assert_allclose(lstm(tf.constant(x), mask=mask)[:1], short, rtol=1e-5)


def test_recurrent_layers_ask_for_no_cudnn(monkeypatch):
    gpu = tf.config.LogicalDevice("/device:GPU:0", "GPU")
    monkeypatch.setattr(tf.config, "list_logical_devices", lambda device_type=None: [gpu])
    x = tf.constant(rng.standard_normal((2, 4, 3)).astype(np.float32))
    gru = layers.GRU(5)
    assert gru(x).shape == (2, 5)
    assert gru.supports_jit


def test_adam_on_rows_takes_the_square_of_each():
    # Keras squares rows before it adds up those that come again (checked with TensorFlow 2.21).
    table = tf.Variable(np.ones((4, 2), np.float32))
    optimizer = keras.optimizers.Adam(0.1)
    values = np.array([[1.0, -2.0], [3.0, 0.5], [0.5, 0.5]], np.float32)
    rows = tf.IndexedSlices(tf.constant(values), tf.constant([1, 1, 3]), tf.constant([4, 2]))
    m = v = np.zeros((4, 2))
    expected = np.ones((4, 2))
    first, second = np.zeros((4, 2)), np.zeros((4, 2))
    np.add.at(first, [1, 1, 3], values)
    np.add.at(second, [1, 1, 3], values**2)
    for t in (1, 2):
        optimizer.apply_gradients([(rows, table)])
        m, v = 0.9 * m + 0.1 * first, 0.999 * v + 0.001 * second
        rate = 0.1 * np.sqrt(1 - 0.999**t) / (1 - 0.9**t)
        expected = expected - rate * m / (np.sqrt(v) + 1e-7)
        np.testing.assert_allclose(table, expected, rtol=1e-5)


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


def drawn_options(seed):
    """A class of optimizers and arguments of its constructor, some of them no good."""
    random = Random(seed)
    rates = [0.1, -0.1, 1, None, "a", True, np.float32(0.1), tf.constant(0.1), [0.1]]
    rates += [keras.optimizers.schedules.ExponentialDecay(0.1, 2, 0.5), lambda: 0.1]
    numbers = [0.9, 0.0, 1.0, 1, 2.0, -0.5, None, "a", True, np.float32(0.5), np.float64(0.5)]
    numbers += [tf.constant(0.5), tf.constant(0.5, tf.float64), [0.5]]
    flags = [True, False, None, 1, "a"]
    name, known = random.choice(
        [
            ("Adam", {"beta_1": numbers, "beta_2": numbers, "epsilon": numbers, "amsgrad": flags}),
            ("AdamW", {"epsilon": numbers, "weight_decay": numbers, "beta_1": numbers}),
            ("SGD", {"momentum": numbers, "nesterov": flags}),
        ]
    )
    known |= {"learning_rate": rates, "clipnorm": numbers, "use_ema": flags}
    names = random.sample(sorted(known), random.randint(1, 2))
    return name, {key: random.choice(known[key]) for key in names}


def trained(name, options):
    """Weights after two steps, or what was raised."""
    weights = [tf.Variable([1.0, -2.0]), tf.Variable([[0.5]])]
    try:
        optimizer = getattr(keras.optimizers, name)(**options)
        for k in (1.0, -3.0):
            gradients = [tf.constant([0.5, 0.25]) * k, tf.constant([[2.0]])]
            optimizer.apply_gradients(zip(gradients, weights, strict=True))
    except Exception as error:  # noqa: BLE001 (any is an answer)
        return type(error)
    return np.concatenate([w.numpy().ravel() for w in weights])


@pytest.mark.parametrize("seed", range(60))
def test_optimizers_take_what_keras_takes(seed, monkeypatch):
    name, options = drawn_options(seed)
    quick = trained(name, options)
    monkeypatch.setattr(optimizer_steps, "_everyday", lambda *given: False)
    plain = trained(name, options)
    if isinstance(plain, type) or isinstance(quick, type):
        assert quick is plain, (name, options)
    else:
        np.testing.assert_allclose(quick, plain, rtol=2e-6, err_msg=f"{name} {options}")


@pytest.mark.parametrize("name", ["Adam", "AdamW"])
def test_adam_without_epsilon_is_an_error(name):
    weight = tf.Variable([1.0])
    optimizer = getattr(keras.optimizers, name)(epsilon=None)
    with pytest.raises(ValueError, match="None"):
        optimizer.apply_gradients([(tf.constant([1.0]), weight)])
    assert not np.isnan(weight.numpy()).any()


OPERANDS = {
    "tensor": tf.constant([1.5, 2.0]),
    "double": tf.constant([1.5, 2.0], tf.float64),
    "half": tf.constant([1.5, 2.0], tf.bfloat16),
    "integers": tf.constant([1, 2]),
    "truths": tf.constant([True, False]),
    "variable": tf.Variable([1.5, 2.0]),
    "matrix": tf.constant([[1.0, 2.0], [3.0, 4.0]]),
    "list": [1.0, 2.0],
    "array": np.array([1.0, 2.0]),
    "number": 2.0,
    "int": 2,
    "huge": 1e300,
    "bool": True,
    "none": None,
    "text": "a",
    "imaginary": 1j,
}


def outcome(run, *given):
    try:
        found = run(*given)
    except Exception as error:  # noqa: BLE001 (any is an answer)
        return type(error)
    return found.dtype.name, np.asarray(found.numpy()).tolist()


@pytest.mark.parametrize(
    "name", ["add", "subtract", "multiply", "divide", "maximum", "minimum", "matmul"]
)
def test_arithmetic_takes_what_keras_takes(name):
    quick = getattr(import_module("keras.src.backend.tensorflow.numpy"), name)
    for x, y in product(OPERANDS, repeat=2):
        given = OPERANDS[x], OPERANDS[y]
        plain = outcome(quick.__wrapped__, *given)
        assert str(outcome(quick, *given)) == str(plain), (name, x, y)


@pytest.mark.parametrize("name", ["convert_to_tensor", "cast"])
def test_conversions_take_what_keras_takes(name):
    quick = getattr(import_module("keras.src.backend.tensorflow.core"), name)
    for x, dtype in product(OPERANDS.values(), ["float32", "float64", "int32", None, "a"]):
        assert str(outcome(quick, x, dtype)) == str(outcome(quick.__wrapped__, x, dtype)), (
            x,
            dtype,
        )
