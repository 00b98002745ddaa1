"""A network whose tape is drawn, summarized and read."""

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
