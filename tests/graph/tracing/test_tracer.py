"""The graph of a function is made by running it once on symbols."""

import pytest

import gradtape as tf


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
