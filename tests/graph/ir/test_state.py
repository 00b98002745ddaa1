"""Effects of graphs: in order, and taken back where a run meets a length it was not made for."""

from __future__ import annotations

import numpy as np

import gradtape as tf
from gradtape.data import Dataset


def test_what_was_done_before_an_unforeseen_length_is_done_once():
    """A batch of one row is not what the graph was traced for."""
    calls = tf.Variable(0)

    @tf.function
    def f(it):
        calls.assign_add(1)
        x, y = next(it)
        return tf.reduce_mean(x * y), tf.shape(x * y)

    ds = Dataset.from_tensor_slices((np.arange(5.0), np.arange(5.0))).batch(2)
    it = iter(ds)
    assert [float(f(it)[0]) for _ in range(3)] == [0.5, 6.5, 16.0]
    assert int(calls) == 3
    assert next(it, None) is None


def test_tensors_with_other_numbers_of_rows():
    @tf.function
    def f(it):
        x, y = next(it)
        return tf.reduce_sum(x) + tf.reduce_sum(y)

    def pairs():
        yield [1.0, 2.0], [3.0]
        yield [1.0], [2.0, 4.0]

    spec = tf.TensorSpec([None], tf.float32)
    it = iter(Dataset.from_generator(pairs, output_signature=(spec, spec)))
    assert [float(f(it)), float(f(it))] == [6, 7]


def test_a_print_in_a_loop_is_not_repeated_for_its_gradient(capsys):
    @tf.function
    def f(x):
        y = x
        for i in tf.range(2):
            tf.print("turn", i)
            y = y * x
        return y

    for _ in range(2):
        x = tf.constant(2.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        assert float(tape.gradient(y, x)) == 12
    assert capsys.readouterr().err.count("turn") == 4
