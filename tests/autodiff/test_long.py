"""Long tapes, many tapes, and what stays in memory because of them."""

import gc
import tracemalloc
import weakref

import numpy as np
import pytest
from checks import watched

import gradtape as tf
from gradtape._src.core.tensor import Tensor


def step():
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    return tape.gradient(y, x)


@pytest.mark.slow
def test_a_hundred_thousand_tapes_leave_nothing_behind():
    gc.collect()
    for _ in range(1000):
        step()
    gc.disable()  # whatever a cycle holds counts as held
    try:
        tracemalloc.start()
        before, _ = tracemalloc.get_traced_memory()
        for _ in range(2_000):
            step()
        after, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        objects = len(gc.get_objects())
        for _ in range(98_000):
            step()
        assert len(gc.get_objects()) < objects + 100
    finally:
        gc.enable()
        tracemalloc.stop()
    assert after - before < 10_000


KEPT = {
    "add": (lambda x: x + 2.0, 0),
    "sub": (lambda x: 2.0 - x, 0),
    "neg": (lambda x: -x, 0),
    "scale": (lambda x: x * 3.0, 1),
    "square": (lambda x: x * x, 2),
    "relu": (lambda x: tf.nn.relu(x), 1),
    "exp": (lambda x: tf.exp(x), 1),
    "sum": (lambda x: tf.reduce_sum(x), 0),
    "mean": (lambda x: tf.reduce_mean(x), 0),
    "reshape": (lambda x: tf.reshape(x, (4, 1)), 0),
    "transpose": (lambda x: tf.transpose(x), 0),
    "concat": (lambda x: tf.concat([x, x], 0), 0),
    "slice": (lambda x: x[0], 0),
    "cast": (lambda x: tf.cast(x, tf.float64), 0),
    "matmul by a constant": (lambda x: x @ tf.ones((2, 2)), 1),
}


@pytest.mark.parametrize(("function", "most"), KEPT.values(), ids=KEPT)
def test_a_record_keeps_what_its_rule_needs(function, most):
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    tape, _ = watched(function, x)
    (record,) = tape.records
    assert len(record[3]) <= most
    assert all(type(s) is Tensor for s in record[3])


@pytest.mark.parametrize("name", ["relu", "exp", "sigmoid", "tanh", "sqrt", "softmax"])
def test_what_is_told_from_the_output_does_not_keep_the_input(name):
    function = getattr(tf.nn, name, None) or getattr(tf, name)
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        h = x + 1.0
        y = function(h)
    reference = weakref.ref(h)
    del h
    assert reference() is None
    assert tape.gradient(y, x).shape == (2, 2)


def test_operations_on_what_nobody_watches_are_not_recorded():
    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.constant(2.0) * tf.constant(3.0)
        _ = tf.exp(y)
    assert tape.records == []


def test_operations_without_a_derivative_are_not_recorded():
    x = tf.constant([1.5, 2.5])
    tape, y = watched(lambda x: tf.floor(x) + tf.cast(x > 2.0, tf.float32), x)
    assert tape.records == []
    assert tape.gradient(y, x) is None


def test_a_deep_structure_of_sources():
    x = tf.constant(1.0)
    structure = x
    for _ in range(100):
        structure = [structure]
    tape, y = watched(lambda x: x * 2.0, x)
    got = tape.gradient(y, structure)
    for _ in range(100):
        (got,) = got
    np.testing.assert_array_equal(got, 2.0)
