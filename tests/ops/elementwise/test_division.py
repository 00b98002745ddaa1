"""Quotients and remainders."""

import numpy as np
import pytest

import gradtape as tf

INF = np.inf


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_floordiv_rounds_the_quotient(dtype):
    x = tf.constant([INF, -INF, 1, 0, np.nan, 1, -1, -7], dtype)
    y = tf.constant([1, 1, INF, 0, 1, 0, INF, 2], dtype)
    want = [INF, -INF, 0, np.nan, np.nan, INF, -0.0, -4]
    np.testing.assert_array_equal((x // y).numpy().astype(float), want)
    assert tf.constant(1, dtype) // tf.constant(0.1, dtype) == np.floor(
        tf.constant(1, dtype).numpy() / tf.constant(0.1, dtype).numpy()
    )
