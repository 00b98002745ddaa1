"""Sound in files; Python's own module is the judge of what is written."""

import io
import struct
import wave

import numpy as np
import pytest

import gradtape as tf

SAMPLES = np.array([[0.0, 0.25], [0.5, -0.5], [-1.0, 1.0]], np.float32)


def test_python_reads_what_is_written():
    data = tf.audio.encode_wav(SAMPLES, 44100).numpy()
    with wave.open(io.BytesIO(data)) as file:
        assert (file.getnchannels(), file.getframerate(), file.getsampwidth()) == (2, 44100, 2)
        steps = np.frombuffer(file.readframes(3), "<i2").reshape(3, 2)
    assert steps.tolist() == [[0, 8192], [16384, -16384], [-32768, 32767]]


def test_what_python_writes_is_read():
    held = io.BytesIO()
    with wave.open(held, "wb") as file:
        file.setparams((1, 2, 8000, 0, "NONE", "NONE"))
        file.writeframes(struct.pack("<3h", 0, 16384, -32768))
    audio, rate = tf.audio.decode_wav(held.getvalue())
    assert audio.numpy().tolist() == [[0.0], [0.5], [-1.0]]
    assert int(rate) == 8000


def test_a_function_knows_what_of_the_shape_was_asked_for():
    shapes = []

    @tf.function
    def first_channel(data):
        audio = tf.audio.decode_wav(data, desired_channels=1).audio
        shapes.append(audio.shape.as_list())
        return audio

    data = tf.audio.encode_wav(SAMPLES, 8000)
    assert first_channel(data).shape.as_list() == [3, 1]
    assert shapes == [[None, 1]]


WAV = tf.audio.encode_wav(SAMPLES, 8000).numpy()


@pytest.mark.parametrize(
    ("data", "match"),
    [
        (b"", "too short"),
        (WAV[:30], "are left"),
        (WAV[:36], "no samples"),
        (b"RIFX" + WAV[4:], "Expected RIFF but found RIFX"),
        (WAV.replace(b"WAVE", b"AIFF"), "Expected WAVE but found AIFF"),
        (WAV[:20] + b"\x03" + WAV[21:], "Expected 1"),
        (WAV[:34] + b"\x08" + WAV[35:], "8 bits"),
        (WAV[:22] + b"\x00" + WAV[23:], "one channel"),
    ],
)
def test_damaged_files_are_refused(data, match):
    with pytest.raises(tf.errors.InvalidArgumentError, match=match):
        tf.audio.decode_wav(data)


def test_arguments_are_checked():
    with pytest.raises(tf.errors.InvalidArgumentError, match="has 2 channels"):
        tf.audio.decode_wav(WAV, desired_channels=3)
    with pytest.raises(tf.errors.InvalidArgumentError, match="2-dimensional"):
        tf.audio.encode_wav([0.0], 8000)
    with pytest.raises(tf.errors.InvalidArgumentError, match="sample_rate"):
        tf.audio.encode_wav([[0.0]], -1)
