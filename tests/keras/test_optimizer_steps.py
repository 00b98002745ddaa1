"""Steps of optimizers, against Keras' own."""

from random import Random

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.keras import optimizer_steps

pytestmark = pytest.mark.slow

keras, layers = tf.keras, tf.keras.layers


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
