"""Optimizers against their formulas in NumPy."""

import numpy as np
import pytest

import gradtape as tf

pytestmark = pytest.mark.slow

optimizers = tf.keras.optimizers
START = np.array([1.0, -2.0, 3.0])
GRADIENTS = [np.array([0.1, -0.5, 1.0]), np.array([0.3, 0.2, -1.0]), np.array([-0.2, 0.4, 0.5])]
LR = 0.1


def momentum_sgd(w, gs, momentum, nesterov):
    v = 0
    for g in gs:
        v = momentum * v - LR * g
        w = w + (momentum * v - LR * g if nesterov else v)
    return w


def adam(w, gs, decay=0.0, nesterov=False):
    m = v = 0
    for t, g in enumerate(gs, 1):
        w = w - decay * LR * w
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        w = w - LR * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-7)
    return w


def rmsprop(w, gs):
    v = 0
    for g in gs:
        v = 0.9 * v + 0.1 * g * g
        w = w - LR * g / np.sqrt(v + 1e-7)
    return w


def adagrad(w, gs):
    v = 0.1
    for g in gs:
        v = v + g * g
        w = w - LR * g / np.sqrt(v + 1e-7)
    return w


def nadam(w, gs):
    m = v = 0
    product = 1.0
    for t, g in enumerate(gs, 1):
        now, after = (0.9 * (1 - 0.5 * 0.96**k) for k in (t, t + 1))
        product *= now
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        mean = after * m / (1 - product * after) + (1 - now) * g / (1 - product)
        w = w - LR * mean / (np.sqrt(v / (1 - 0.999**t)) + 1e-7)
    return w


def lion(w, gs):
    m = 0
    for g in gs:
        w = w - LR * np.sign(0.9 * m + 0.1 * g)
        m = 0.99 * m + 0.01 * g
    return w


CASES = {
    "sgd": (lambda: optimizers.SGD(LR), lambda w, gs: w - LR * sum(gs)),
    "momentum": (lambda: optimizers.SGD(LR, 0.9), lambda w, gs: momentum_sgd(w, gs, 0.9, False)),
    "nesterov": (
        lambda: optimizers.SGD(LR, 0.9, nesterov=True),
        lambda w, gs: momentum_sgd(w, gs, 0.9, True),
    ),
    "adam": (lambda: optimizers.Adam(LR), adam),
    "adamw": (lambda: optimizers.AdamW(LR, weight_decay=0.1), lambda w, g: adam(w, g, 0.1)),
    "rmsprop": (lambda: optimizers.RMSprop(LR), rmsprop),
    "adagrad": (lambda: optimizers.Adagrad(LR), adagrad),
    "nadam": (lambda: optimizers.Nadam(LR), nadam),
    "lion": (lambda: optimizers.Lion(LR), lion),
    "clipnorm": (
        lambda: optimizers.SGD(LR, clipnorm=0.5),
        lambda w, gs: w - LR * sum(g * min(1, 0.5 / np.linalg.norm(g)) for g in gs),
    ),
    "clipvalue": (
        lambda: optimizers.SGD(LR, clipvalue=0.25),
        lambda w, gs: w - LR * sum(np.clip(g, -0.25, 0.25) for g in gs),
    ),
    "global clipnorm": (
        lambda: optimizers.SGD(LR, global_clipnorm=0.5),
        lambda w, gs: w - LR * sum(g * min(1, 0.5 / np.linalg.norm(g)) for g in gs),
    ),
    "schedule": (
        lambda: optimizers.SGD(optimizers.schedules.ExponentialDecay(LR, 1, 0.5)),
        lambda w, gs: w - LR * sum(g * 0.5**t for t, g in enumerate(gs)),
    ),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("kind", [tf.Variable, tf.keras.Variable])
def test_three_steps(name, kind):
    make, formula = CASES[name]
    variable, optimizer = kind(START.astype(np.float32)), make()
    for gradient in GRADIENTS:
        optimizer.apply_gradients([(tf.constant(gradient, tf.float32), variable)])
    np.testing.assert_allclose(variable.numpy(), formula(START, GRADIENTS), rtol=2e-5)
    assert int(optimizer.iterations) == 3


@pytest.mark.parametrize(
    "name", ["Adadelta", "Adamax", "Ftrl", "Adafactor", "Lamb", "Muon", "LossScaleOptimizer"]
)
def test_the_others_go_downhill(name):
    inner = [optimizers.SGD(0.1)] if name == "LossScaleOptimizer" else []
    optimizer = getattr(optimizers, name)(*inner)
    variable = tf.keras.Variable(np.full((4, 4), 2.0, np.float32))
    for _ in range(5):
        with tf.GradientTape() as tape:
            loss = optimizer.scale_loss(tf.reduce_sum(tf.convert_to_tensor(variable) ** 2))
        optimizer.apply([tape.gradient(loss, variable)], [variable])
    assert (variable.numpy() < 2).all()


def test_moving_averages_of_weights():
    variable = tf.keras.Variable([1.0])
    optimizer = optimizers.SGD(1.0, use_ema=True, ema_momentum=0.5)
    for _ in range(2):
        optimizer.apply([tf.constant([1.0])], [variable])
    assert variable.numpy() == [-1]
    optimizer.finalize_variable_values([variable])
    np.testing.assert_allclose(variable.numpy(), 0.5 * 0 + 0.5 * -1)


@pytest.mark.parametrize("make", [optimizers.SGD, optimizers.Adam, optimizers.Adagrad])
def test_rows_alone(make):
    table = np.arange(12, dtype=np.float32).reshape(6, 2)
    sparse, dense = tf.keras.Variable(table), tf.keras.Variable(table)
    one, two = make(0.1), make(0.1)
    for _ in range(3):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.gather(tf.convert_to_tensor(sparse), [1, 4]) ** 2)
        rows = tape.gradient(loss, sparse)
        assert isinstance(rows, tf.IndexedSlices)
        one.apply([rows], [sparse])
        whole = np.zeros((6, 2), np.float32)
        value = dense.numpy()
        whole[[1, 4]] = 2 * value[[1, 4]]
        two.apply([tf.constant(whole)], [dense])
    np.testing.assert_allclose(sparse.numpy(), dense.numpy(), rtol=1e-5)


def test_gradients_that_are_missing():
    v = tf.keras.Variable([1.0])
    with pytest.raises(ValueError, match="No gradients provided for any variable"):
        optimizers.SGD().apply_gradients([(None, v)])
