"""Monotone fits."""

import numpy as np
from tolerances import close

import gradtape as tf


def test_monotone_fit():
    v = np.array([[1.0, 3.0, 2.0, 2.5, 0.0], [5.0, 4.0, 4.5, 1.0, 2.0]])
    fit, segments = tf.nn.isotonic_regression(v)
    close(fit, [[2.125] * 4 + [0], [5, 4.25, 4.25, 1.5, 1.5]])
    assert segments.numpy().tolist() == [[0, 0, 0, 0, 1], [0, 1, 1, 2, 2]]
    rising = tf.nn.isotonic_regression(v, decreasing=False, axis=0).output
    close(rising, np.where(v[0] > v[1], v.mean(0), v))
    x = tf.constant(v)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.isotonic_regression(x).output ** 2
    close(tape.gradient(y, x), 2 * fit.numpy())
