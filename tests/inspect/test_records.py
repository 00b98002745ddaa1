"""The graph that is read from a tape's records."""

import numpy as np
import pytest
from pictured_networks import by_name

import gradtape as tf


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
