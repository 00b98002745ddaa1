"""Operations that are shown as one box."""

import xml.etree.ElementTree as ET

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


def test_layers_are_folded(network):
    tape, loss, _ = network
    graph = tape.graph(loss, max_nodes=3)
    assert "dense" in graph.to_dot()
    assert "folded to" in graph.caption


def test_repetitions_are_folded():
    x = tf.Variable(1.0, name="x")
    with tf.GradientTape(persistent=True) as tape:
        y = x
        for _ in range(100):
            y = tf.sin(y) * 2.0
    graph = tape.graph(y)
    assert "100 \u00d7 Sin, Mul" in graph.to_dot()
    assert "200 operations, folded to 1" in graph.caption


def test_a_large_tape_without_a_pattern():
    random = np.random.default_rng(0)
    x = tf.Variable(1.0, name="x")
    with tf.GradientTape(persistent=True) as tape:
        values = [x * 1.0, x * 2.0]
        for _ in range(600):
            a, b = (values[-1 - int(k)] for k in random.integers(0, 2, 2))
            values.append([tf.sin(a), a * b * 0.5, a + b][int(random.integers(3))])
    graph = tape.graph(values[-1], max_nodes=20)
    assert len(graph._shapes) <= 25
    ET.fromstring(graph.to_svg())
