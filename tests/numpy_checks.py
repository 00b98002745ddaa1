"""Comparisons of `tf.experimental.numpy` with NumPy."""

import numpy as np

import gradtape.experimental.numpy as tnp


def same(found, expected):
    """Asserts that results have the dtypes and values of NumPy."""
    if isinstance(expected, (tuple, list)):
        assert len(found) == len(expected)
        for f, e in zip(found, expected, strict=True):
            same(f, e)
        return
    expected = np.asarray(expected)
    if expected.dtype == np.intp:  # int32 where addresses have 32 bits; TensorFlow's is int64
        expected = expected.astype(np.int64)
    assert np.asarray(found).dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)


def as_numpy(call):
    """Asserts that a call of the functions of a module gives an array as with NumPy."""
    found, wanted = call(tnp), call(np)
    assert np.asarray(found).dtype == wanted.dtype
    np.testing.assert_allclose(found, wanted, rtol=1e-12)
