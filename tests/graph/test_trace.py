"""One trace: what it keeps alive, and what it does not."""

import gc
import linecache
import weakref

import numpy as np
import pytest

import gradtape as tf


def programs():
    return {place for place in linecache.cache if place.startswith("<graph of")}


@pytest.mark.usefixtures("no_collections")
def test_traces_die_with_their_instance_without_a_collection():
    class Layer(tf.Module):
        def __init__(self):
            super().__init__()
            self.w = tf.Variable(tf.ones([4, 4]))

        @tf.function
        def __call__(self, x):
            return tf.cond(x[0, 0] > 0, lambda: x @ self.w, lambda: x)

    def used():
        layer = Layer()
        x = tf.ones([1, 4])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(layer(x))
        assert tape.gradient(y, layer.w) is not None
        return weakref.ref(layer), weakref.ref(layer.w)

    before = programs()
    layer, variable = used()
    assert layer() is None
    assert variable() is None
    assert programs() == before


@pytest.mark.slow
def test_traces_die_with_their_function():
    def used():
        big = tf.Variable(np.ones(8))
        function = tf.function(lambda x: x * big)
        function(tf.constant(1.0, tf.float64))
        return weakref.ref(function), weakref.ref(big)

    gc.collect()
    before = programs()
    function, variable = used()
    gc.collect()
    assert function() is None
    assert variable() is None
    assert programs() == before


def test_a_large_constant_of_a_function_is_let_go_of():
    def used():
        table = np.ones((100, 3), np.float32)
        constant = tf.constant(table)
        kept = weakref.ref(constant._value)
        tf.function(lambda i: tf.gather(constant * 1.0, i))(tf.constant([1, 2]))
        tf.function(lambda i: tf.gather(tf.constant(table), i))(tf.constant([1, 2]))
        return kept

    kept = used()
    gc.collect()
    assert kept() is None
