"""Parts of complex numbers."""

import numpy as np

import gradtape as tf

INF = np.inf


def test_imag_of_real_values_is_zero_and_has_no_gradient():
    x = tf.constant([INF, -INF, np.nan, -0.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.math.imag(x)
    assert y.numpy().tolist() == [0.0] * 4
    assert not np.signbit(y.numpy()).any()
    assert tape.gradient(y, x) is None
