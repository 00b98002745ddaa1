"""Compiled functions that would act outside of tensors, or ask for gradients without a tape."""

from __future__ import annotations

import numpy as np
import pytest

import gradtape as tf

pytest.importorskip("jax")

pytestmark = pytest.mark.slow


def test_what_acts_outside_of_tensors_is_refused(tmp_path):
    """It would happen once, and its result be given for ever."""
    elements = iter(tf.data.Dataset.range(10))
    queue = tf.queue.FIFOQueue(4, [tf.float32])
    queue.enqueue(1.0)
    table = tf.lookup.experimental.MutableHashTable(tf.int64, tf.int64, -1)
    key = tf.constant([1], tf.int64)
    writer = tf.summary.create_file_writer(str(tmp_path))
    acts = {
        "print": lambda: tf.print("x"),
        "py_function": lambda: tf.py_function(lambda: 1.0, [], tf.float32),
        "numpy_function": lambda: tf.numpy_function(lambda: np.float32(1), [], tf.float32),
        "reduce": lambda: tf.data.Dataset.range(3).reduce(np.int64(0), lambda a, b: a + b),
        "next": lambda: next(elements),
        "get_next": lambda: elements.get_next(),
        "for": lambda: list(tf.data.Dataset.range(3)),
        "dequeue": queue.dequeue,
        "enqueue": lambda: queue.enqueue(2.0),
        "size": queue.size,
        "insert": lambda: table.insert(key, key),
        "lookup": lambda: table.lookup(key),
        "timestamp": tf.timestamp,
        "write_file": lambda: tf.io.write_file(str(tmp_path / "x"), "x"),
        "summary": lambda: tf.summary.scalar("a", 1.0),
    }
    with writer.as_default(step=1):
        for name, act in acts.items():

            def f(x, act=act):
                act()
                return x + 1

            with pytest.raises(tf.errors.UnimplementedError, match=r"can't be compiled.*At .*\.py"):
                tf.function(f, jit_compile=True)(tf.constant(1.0))
            assert tf.function(f)(tf.constant(1.0)).numpy() == 2, name


def test_gradients_without_a_tape_compile():
    @tf.function(jit_compile=True)
    def slope(x):
        return tf.gradients(tf.sin(x) * x, x)[0]

    @tf.function(jit_compile=True)
    def through(x):
        return helper(x) * 2

    asks = tf.gradients

    def helper(x):
        return asks(x**3, x)[0]  # the code does not mention what it is

    x = tf.constant(2.0)
    for _ in range(2):
        np.testing.assert_allclose(slope(x), np.cos(2) * 2 + np.sin(2), atol=1e-6)
        assert through(x).numpy() == 24


def test_gradients_in_a_compiled_function_that_an_accumulator_watches():
    v = tf.Variable(2.0)

    @tf.function(jit_compile=True)
    def slope(x):
        v.assign_add(1.0)
        return tf.gradients(x * x * v, x)[0]

    x = tf.constant(3.0)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as accumulator:
        y = slope(x)
    assert (y.numpy(), accumulator.jvp(y).numpy()) == (18, 6)
    assert v.numpy() == 3
