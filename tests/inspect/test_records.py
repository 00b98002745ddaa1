"""The graph that is read from a tape's records."""

import numpy as np
import pytest

import gradtape as tf


@pytest.fixture
def network():
    """A tape with two layers, an input that is watched, and a variable that plays no part."""
    w = tf.Variable(np.ones((8, 16), np.float32), name="dense/kernel")
    b = tf.Variable(np.zeros(16, np.float32), name="dense/bias")
    v = tf.Variable(np.ones((16, 4), np.float32), name="head/kernel")
    lost = tf.Variable(1.0, name="lost")
    x = tf.constant(np.ones((32, 8), np.float32))
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        h = tf.nn.relu(x @ w + b)
        loss = tf.reduce_mean((h @ v) ** 2)
        lost * 2.0
    return tape, loss, x


def by_name(graph):
    return {op.name: op for op in graph.recording.operations}


def test_operations_shapes_and_bytes(network):
    tape, _, x = network
    ops = by_name(tape.graph())
    assert ops["Relu"].shape == (32, 16)
    assert ops["Relu"].bytes == 32 * 16 * 4
    assert ops["AddV2"].shape == (32, 16)
    assert ops["AddV2"].bytes == 0
    assert ops["Mean"].shape == ()
    assert ops["MatMul"].shape == (32, 4)
    first = tape.graph().recording.operations[0]
    assert first.bytes == x.numpy().nbytes  # the input, not the variable
    assert first.scope == "dense"


def test_the_mode_gives_lines():
    x = tf.Variable(1.0)
    with tf.debugging.explanations(), tf.GradientTape(persistent=True) as tape:
        y = tf.sin(x)
    (op,) = tape.graph(y).recording.operations
    assert op.place.source.strip() == "y = tf.sin(x)"
    assert "y = tf.sin(x)" in tape.graph(y).to_svg()


def test_several_outputs_and_rows():
    table = tf.Variable(np.ones((10, 4), np.float32))
    with tf.GradientTape(persistent=True) as tape:
        a, b = tf.split(tf.gather(table, [1, 2]), 2)
        y = tf.reduce_sum(a) + 0.0 * tf.reduce_sum(b)
    graph = tape.graph(y)
    (value,) = graph.recording.values.values()
    assert value.norm == pytest.approx(2.0)
