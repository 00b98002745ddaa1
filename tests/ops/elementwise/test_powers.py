"""Powers, roots and polynomials."""

import numpy as np
import pytest

import gradtape as tf


def test_polynomials():
    x = tf.constant([3.0, 4.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.math.polyval([2.0, 4.0, 3.0], x)
    assert y.numpy().tolist() == [33, 51]
    assert tape.gradient(y, x).numpy().tolist() == [16, 20]
    assert tf.math.polyval([], 2.0) == 0


A, B = np.array([[1, 2, 1], [4, 5, 6]]), np.array([[1, 3], [5, 4]])


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (lambda: tf.math.polyval(3.0, 2.0), ValueError, "list type"),
    ],
)
def test_polynomials_refuse(call, error, match):
    with pytest.raises(error, match=match):
        call()
