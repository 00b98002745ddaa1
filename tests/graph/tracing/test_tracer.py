"""The graph of a function is made by running it once on symbols."""

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.graph.tracing.tracer import Tracer


def test_python_runs_once_and_operations_each_time():
    runs = []

    @tf.function
    def f(x):
        runs.append(1)
        return x + 1.0

    assert [float(f(tf.constant(v))) for v in (1.0, 2.0)] == [2, 3]
    assert runs == [1]


def test_a_symbol_that_leaks_is_an_error():
    kept = []

    @tf.function
    def f(x):
        kept.append(x * 2.0)
        return x

    f(tf.constant(1.0))
    with pytest.raises(TypeError, match="scope"):
        kept[0] + 1.0


def test_tensors_from_outside_are_captured():
    outside = tf.constant(3.0)

    @tf.function
    def f(x):
        return x * outside

    with tf.GradientTape() as tape:
        tape.watch(outside)
        y = f(tf.constant(2.0))
    assert float(tape.gradient(y, outside)) == 2


def test_variables_are_read_at_each_call():
    v = tf.Variable(1.0)
    f = tf.function(lambda x: x * v)
    assert float(f(tf.constant(2.0))) == 2
    v.assign(5.0)
    assert float(f(tf.constant(2.0))) == 10


def test_an_error_leaves_nothing_behind():
    v = tf.Variable(1.0)

    @tf.function
    def f():
        v.assign(2.0)
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        f()
    assert float(v) == 1
    assert float(v + 1.0) == 2


def test_operations_that_were_traced_before_take_one_step(monkeypatch):
    slow = []
    whole = Tracer.process_under

    def process_under(self, tapes, primitive, inputs, params):
        slow.append(primitive.name)
        return whole(self, tapes, primitive, inputs, params)

    monkeypatch.setattr(Tracer, "process_under", process_under)

    def step(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            first, second = tf.split(tf.tanh(x) * 2.0 - tf.constant([1.0, 3.0]), 2)
            y = tf.reduce_sum(first / second)
        return tape.gradient(y, x)

    x = tf.constant([0.5, 0.25])
    expected = step(x)
    for _ in range(2):
        slow.clear()
        np.testing.assert_allclose(tf.function(step)(x), expected, rtol=1e-6)
    assert slow == ["BroadcastTo"]  # of the known ones with which the gradient begins
