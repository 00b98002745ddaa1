"""Sequences of even points; values are TensorFlow's."""

import numpy as np
import pytest

import gradtape as tf


def test_even_points():
    want = [[0.5, 0.5, 0.5], [0.75, 0.25, 0.25], [0.25, 0.75, 0.75], [0.375, 0.375, 0.625]]
    assert tf.math.sobol_sample(3, 4).numpy().tolist() == want
    assert tf.math.sobol_sample(3, 2, skip=2, dtype=tf.float64).numpy().tolist() == want[2:]


A, B = np.array([[1, 2, 1], [4, 5, 6]]), np.array([[1, 3], [5, 4]])


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (lambda: tf.math.sobol_sample(0, 3), tf.errors.InvalidArgumentError, "at least one"),
    ],
)
def test_errors(call, error, match):
    with pytest.raises(error, match=match):
        call()
