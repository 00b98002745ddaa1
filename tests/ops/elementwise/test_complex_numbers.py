"""Parts of complex numbers."""

import numpy as np
import pytest

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


def test_parts_of_different_dtypes_are_refused():
    with pytest.raises(TypeError, match="float32 int32"):
        tf.complex(tf.constant(1.0), 1)
    with pytest.raises(TypeError, match="float64 float32"):
        tf.complex(tf.constant(1.0, tf.float64), 1.0)
