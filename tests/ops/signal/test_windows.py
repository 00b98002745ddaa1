"""Windows; values are TensorFlow's."""

import numpy as np
import pytest

import gradtape as tf

X = np.sin(np.arange(20.0))


@pytest.mark.parametrize(
    ("window", "expected"),
    [
        (lambda: tf.signal.hann_window(6), [0, 0.25, 0.75, 1, 0.75, 0.25]),
        (lambda: tf.signal.hann_window(5), [0, 0.5, 1, 0.5, 0]),
        (lambda: tf.signal.hann_window(2, periodic=False), [0, 0]),
        (lambda: tf.signal.hann_window(1), [1]),
        (lambda: tf.signal.hamming_window(6), [0.08, 0.31, 0.77, 1, 0.77, 0.31]),
        (
            lambda: tf.signal.kaiser_window(6, 5.0),
            [0.03671089, 0.4149036, 0.9138123, 0.9138123, 0.4149036, 0.03671089],
        ),
        (
            lambda: tf.signal.kaiser_bessel_derived_window(6, 5.0),
            [0.1503473, 0.7071068, 0.9886333, 0.9886333, 0.7071068, 0.1503473],
        ),
        (
            lambda: tf.signal.vorbis_window(6),
            [0.10502934, 0.70710677, 0.9944691, 0.9944691, 0.70710677, 0.10502925],
        ),
    ],
)
def test_windows(window, expected):
    assert window().dtype is tf.float32
    np.testing.assert_allclose(window(), expected, atol=1e-6)


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (lambda: tf.signal.hann_window(4, dtype=tf.int32), ValueError, "floating"),
        (lambda: tf.signal.hann_window([4]), ValueError, "rank 0"),
    ],
)
def test_errors(call, error, match):
    with pytest.raises(error, match=match):
        call()
