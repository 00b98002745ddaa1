"""Fourier transforms over given axes, as raw operations."""

import numpy as np

import gradtape as tf

X = np.random.default_rng(0).normal(size=(2, 4, 6))


def test_they_are_numpys_transforms():
    z = tf.constant(X + 1j, tf.complex64)
    lengths, axes = [4, 6], [1, 2]
    forward = tf.fftnd(z, lengths, axes)
    np.testing.assert_allclose(forward, np.fft.fftn(X + 1j, axes=axes), atol=1e-4)
    np.testing.assert_allclose(tf.ifftnd(forward, lengths, axes), z, atol=1e-5)
    real = tf.rfftnd(tf.constant(X, tf.float32), lengths, axes)
    assert real.dtype == tf.complex64
    np.testing.assert_allclose(real, np.fft.rfftn(X, axes=axes), atol=1e-4)
    np.testing.assert_allclose(tf.irfftnd(real, lengths, axes), X, atol=1e-5)
    shorter = tf.raw_ops.FFTND(input=z, fft_length=[3], axes=[2])
    np.testing.assert_allclose(shorter, np.fft.fft(X + 1j, 3), atol=1e-4)


def test_approximately_greatest_elements_are_exact():
    values, places = tf.approx_top_k(tf.constant([3.0, 1.0, 2.0]), 2)
    assert (values.numpy().tolist(), places.numpy().tolist()) == ([3.0, 2.0], [0, 2])
    values, places = tf.approx_top_k([3.0, 1.0, 2.0], 2, is_max_k=False)
    assert (values.numpy().tolist(), places.numpy().tolist()) == ([1.0, 2.0], [1, 2])
