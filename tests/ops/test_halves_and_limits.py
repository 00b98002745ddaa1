"""Cases at the limits of dtypes, compared with TensorFlow's answers."""

from __future__ import annotations

import numpy as np
import pytest

import gradtape as tf

LA = tf.linalg
MATRIX_FUNCTIONS = {
    "inv": LA.inv,
    "det": LA.det,
    "slogdet": lambda x: LA.slogdet(x)[1],
    "cholesky": LA.cholesky,
    "solve": lambda x: LA.solve(x, x),
    "triangular_solve": lambda x: LA.triangular_solve(x, x),
    "qr": lambda x: LA.qr(x).r,
    "svd": lambda x: LA.svd(x, compute_uv=False),
    "eigvalsh": LA.eigvalsh,
}


@pytest.mark.parametrize("name", MATRIX_FUNCTIONS)
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("n", [0, 3])
def test_matrices_of_halves_stay_halves(name, dtype, n):
    x = tf.cast(np.diag(np.arange(1.0, n + 1)), dtype)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = MATRIX_FUNCTIONS[name](x)
    assert y.dtype.name == dtype
    assert tape.gradient(y, x).dtype.name == dtype


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128"])
def test_a_matrix_with_nan_spoils_no_other(dtype):
    x = np.stack([np.eye(3), np.eye(3)]).astype(dtype)
    x[0, 0, 1] = np.nan
    found = {
        "values": LA.svd(x, compute_uv=False),
        "vectors": LA.svd(x)[1],
        "pinv": LA.pinv(x),
        "norm": tf.norm(x, 2, axis=(-2, -1)),
    }
    for name, y in found.items():
        assert np.isnan(y[0]).all(), name
        assert np.isfinite(y[1]).all(), name
    assert LA.matrix_rank(x).numpy().tolist() == [0, 3]
    assert np.isnan(LA.svd(x[0], compute_uv=False)).all()


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "int32"])
def test_real_transforms_need_single_precision(dtype):
    for call in (tf.signal.rfft, tf.signal.rfft2d):
        with pytest.raises(ValueError, match="float32"):
            call(tf.ones((2, 4), dtype))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "int32", "uint32"])
def test_a_mean_of_integers_does_not_overflow(dtype):
    top = np.iinfo(dtype).max
    for axis in (None, 0):
        mean = tf.reduce_mean(tf.constant([top, top, top - 1], dtype), axis)
        assert (mean.dtype.name, int(mean)) == (dtype, top - 1)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "int64"])
def test_segment_mean_of_integers_is_an_integer(dtype):
    mean = tf.math.segment_mean(tf.constant([[1, 7], [2, 4], [4, 3]], dtype), [0, 0, 2])
    assert mean.dtype.name == dtype
    assert mean.numpy().tolist() == [[1, 5], [0, 0], [4, 3]]


def test_segment_mean_truncates():
    assert tf.math.segment_mean([-1, -2, -2, 3], [0, 0, 1, 1]).numpy().tolist() == [-1, 0]


def test_convolution_of_integers():
    out = tf.nn.conv2d(
        2 * np.ones((1, 2, 2, 1), np.int32), np.ones((2, 2, 1, 3), np.int32), 1, "VALID"
    )
    assert out.dtype is tf.int32
    assert out.numpy().tolist() == [[[[8, 8, 8]]]]


@pytest.mark.parametrize(
    ("call", "shape"),
    [
        (lambda x: tf.strings.as_string(x), (2, 3)),
        (lambda x: tf.random.shuffle(x), (2, 3)),
        (lambda x: tf.random.categorical(x, 4), (2, 3, 3)),
    ],
)
def test_functions_of_the_values_in_vectorized_map(call, shape):
    with pytest.warns(UserWarning, match="once per row"):
        out = tf.vectorized_map(call, tf.zeros(shape))
    assert out.shape[0] == 2


def test_weights_that_cancel():
    mean, variance = tf.nn.weighted_moments(tf.constant([1.0, 2.0]), 0, [1.0, -1.0])
    assert (float(mean), float(variance)) == (0, 0)


@pytest.mark.parametrize(
    ("length", "window", "stride", "places"),
    [(1, 2, 1, 0), (2, 4, 1, None), (2, 4, 2, 0), (2, 5, 2, 0), (1, 3, 3, 0), (0, 2, 2, 0)],
)
def test_windows_beyond_the_image(length, window, stride, places):
    x = tf.ones((1, length, 1))
    w = tf.ones((window, 1, 1))
    for call in (
        lambda: tf.nn.max_pool1d(x, window, stride, "VALID"),
        lambda: tf.nn.avg_pool1d(x, window, stride, "VALID"),
        lambda: tf.nn.conv1d(x, w, stride, "VALID"),
    ):
        if places is None:
            with pytest.raises(tf.errors.InvalidArgumentError, match="would be negative"):
                call()
        else:
            assert call().shape == (1, places, 1)
