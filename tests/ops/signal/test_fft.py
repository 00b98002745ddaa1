"""Fourier transforms."""

import numpy as np

import gradtape as tf


def test_transforms_of_complex_lists_keep_their_precision():
    assert tf.signal.fft([1 + 1j, 2]).dtype == tf.complex128
    assert tf.signal.fft([1.0, 2.0]).dtype == tf.complex64
    assert tf.signal.fft(np.array([1.0, 2.0])).dtype == tf.complex64
