"""Keras' messages say how to mend a program, and the two filters of tracebacks know each other."""

from __future__ import annotations

import traceback

import pytest

import gradtape as tf
from gradtape._src.core.tracebacks import Filtering, is_ours

keras = tf.keras


class Wrong(keras.layers.Layer):
    def call(self, x):
        return tf.matmul(x, tf.ones([7, 1]))


def files(call):
    with pytest.raises(ValueError, match="size-incompatible") as caught:
        call()
    return [f.filename for f in traceback.extract_tb(caught.value.__traceback__)]


def fit():
    model = keras.Sequential([Wrong()])
    model.compile("sgd", "mse")
    model.fit(tf.ones([4, 2]), tf.ones([4, 1]), verbose=0)


def test_fit_shows_the_layers_line_and_one_of_keras():
    shown = files(fit)
    assert not any("gradtape/_src" in f for f in shown)
    assert sum("keras/src" in f for f in shown) <= 1
    assert shown[-1] == __file__


def test_each_filter_is_switched_off_alone():
    try:
        keras.config.disable_traceback_filtering()
        shown = files(fit)
        assert sum("keras/src" in f for f in shown) > 3
        assert not is_ours(keras.layers.Layer.__call__.__code__.co_filename)
    finally:
        keras.config.enable_traceback_filtering()
    try:
        Filtering.on = False
        shown = files(fit)
        assert sum("keras/src" in f for f in shown) <= 1
        assert any("gradtape/_src" in f for f in shown)
    finally:
        Filtering.on = True


@pytest.mark.parametrize(
    ("get", "identifier", "near"),
    [
        (keras.losses.get, "mean_squared_eror", "mean_squared_error"),
        (keras.optimizers.get, "adamm", "adam"),
        (keras.activations.get, "rellu", "relu"),
        (keras.metrics.get, "acuracy", "Accuracy"),  # codespell:ignore acuracy
        (keras.initializers.get, "glorot_unifrom", "glorot_uniform"),
    ],
)
def test_a_misspelt_name_has_its_nearest(get, identifier, near):
    with pytest.raises(ValueError, match="Could not interpret") as caught:
        get(identifier)
    assert repr(near) in str(caught.value)


@pytest.mark.parametrize("old", ["lr", "eps", "beta1"])
def test_an_argument_of_another_name(old):
    with pytest.raises(ValueError, match=f"not recognized: .*`{old}` is `"):
        keras.optimizers.Adam(**{old: 0.1})


def test_an_argument_that_is_none_has_no_hint():
    with pytest.raises(ValueError, match=r"not recognized: {'rate': 0.1}$"):
        keras.optimizers.Adam(rate=0.1)


@pytest.mark.parametrize(
    ("pairs", "hint"),
    [
        (lambda v: [(v, tf.constant(1.0))], "here the variable comes first"),
        (lambda v: [tf.constant(1.0)], "one of them is a tensor"),
        (lambda v: [], "there are no pairs"),
        (lambda v: [(None, v)], "all gradients are None"),
    ],
)
def test_pairs_that_are_none(pairs, hint):
    with pytest.raises((AttributeError, TypeError, ValueError), match=hint):
        keras.optimizers.SGD(0.1).apply_gradients(pairs(tf.Variable(1.0)))


def test_pairs_that_are_right():
    v = tf.Variable(1.0)
    optimizer = keras.optimizers.SGD(0.5)
    optimizer.apply_gradients([(tf.constant(1.0), v)])
    assert float(v) == 0.5
    assert int(optimizer.iterations) == 1
