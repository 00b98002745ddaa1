"""Frames of signals and what is computed of them; values are TensorFlow's."""

import numpy as np
import pytest
from tolerances import close

import gradtape as tf

X = np.sin(np.arange(20.0))


def test_frames():
    assert tf.signal.frame(np.arange(8), 4, 3, pad_end=True, pad_value=-1).numpy().tolist() == [
        [0, 1, 2, 3],
        [3, 4, 5, 6],
        [6, 7, -1, -1],
    ]
    assert tf.signal.frame(np.arange(2.0), 4, 3).shape == (0, 4)
    assert tf.signal.frame(np.zeros((2, 6, 3)), 4, 3, pad_end=True, axis=1).shape == (2, 2, 4, 3)


def test_overlap_and_add():
    frames = np.arange(12).reshape(3, 4)
    assert tf.signal.overlap_and_add(frames, 3).numpy().tolist() == [
        0,
        1,
        2,
        7,
        5,
        6,
        15,
        9,
        10,
        11,
    ]
    wide = [0, 1, 2, 3, 0, 0, 4, 5, 6, 7, 0, 0, 8, 9, 10, 11]
    assert tf.signal.overlap_and_add(frames, 6).numpy().tolist() == wide


def test_short_time_transform():
    x = X.astype(np.float32)
    got = tf.signal.stft(x, 8, 3)
    assert got.shape == (5, 5)
    want = [-0.92045724, 1.4055613 - 1.277396j, -1.0717435 + 0.9119293j]
    np.testing.assert_allclose(got[0, :3], want, atol=1e-6)
    back = tf.signal.inverse_stft(
        tf.signal.stft(x, 8, 2), 8, 2, window_fn=tf.signal.inverse_stft_window_fn(2)
    )
    np.testing.assert_allclose(back[6:-6], x[6:14], atol=1e-6)


def test_modified_cosine_transform():
    got = tf.signal.mdct(X, 8)
    np.testing.assert_allclose(got[0], [2.79324728, 2.08243074, -1.05809512, 0.1605891], 1e-7)
    close(tf.signal.inverse_mdct(got)[4:-4], X[4:-4])
    close(
        tf.signal.inverse_mdct(tf.signal.mdct(X, 8, None, norm="ortho"), None, "ortho")[4:16],
        X[4:16],
    )


def test_features_of_speech():
    mel = tf.signal.linear_to_mel_weight_matrix(4, 9, 8000, 125.0, 3800.0)
    np.testing.assert_allclose(mel[1], [0.89565384, 0.10434615, 0, 0], atol=1e-6)
    np.testing.assert_allclose(mel[5], [0, 0, 0.00482433, 0.99517566], atol=1e-6)
    want = [0.10170693, 1.302051, -1.0046709, -0.57462025, -0.02247153, -0.08080573]
    got = tf.signal.mfccs_from_log_mel_spectrograms(X[:6])
    np.testing.assert_allclose(got, want, atol=1e-6)


def test_shifts():
    x = np.arange(10).reshape(2, 5)
    assert tf.signal.fftshift(x).numpy().tolist() == [[8, 9, 5, 6, 7], [3, 4, 0, 1, 2]]
    assert tf.signal.ifftshift(x, 1).numpy().tolist() == [[2, 3, 4, 0, 1], [7, 8, 9, 5, 6]]


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (lambda: tf.signal.frame(3.0, 4, 3), ValueError, "rank at least 1"),
        (lambda: tf.signal.frame(X, 4, 3, axis=3), IndexError, "axis 3"),
        (lambda: tf.signal.frame(X, 4, 0), tf.errors.InvalidArgumentError, "frame_step"),
        (lambda: tf.signal.overlap_and_add(X, 3), ValueError, "rank at least 2"),
        (lambda: tf.signal.mdct(X, 6), ValueError, "multiple of 4"),
        (
            lambda: tf.signal.linear_to_mel_weight_matrix(4, 9, 8000, 125.0, 4800.0),
            ValueError,
            "Nyquist",
        ),
    ],
)
def test_errors(call, error, match):
    with pytest.raises(error, match=match):
        call()
