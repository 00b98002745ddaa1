"""`tf.audio`: sound in WAV files of 16 bits."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from gradtape._src.base.dtypes import float32, int32, string
from gradtape._src.base.errors import About
from gradtape._src.base.export import export
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import input_of, invalid, scalar, shown_shape
from gradtape._src.declare.graph_operations import New, graph_operation
from gradtape._src.text.values import strings, texts

_FULL = 1 << 15
"""The number of steps from silence to the loudest sample."""
_READ, _WRITE = "DecodeWav", "EncodeWav"


class DecodeWav(NamedTuple):
    """Holds the result of `tf.audio.decode_wav`.

    Attributes:
      audio: The samples, a float32 tensor of shape (samples, channels).
      sample_rate: The number of samples per second, an int32 scalar.
    """

    audio: Tensor
    sample_rate: Tensor


def _unknown(
    new: New,
    contents: Any,
    desired_channels: int = -1,
    desired_samples: int = -1,
    *_: Any,
    **__: Any,
) -> DecodeWav:
    shape = [n if n > 0 else None for n in (desired_samples, desired_channels)]
    return DecodeWav(new(shape, float32), new((), int32))


@export("audio.decode_wav")
@graph_operation(_READ, _unknown)
def decode_wav(
    contents: Any, desired_channels: int = -1, desired_samples: int = -1, name: str | None = None
) -> DecodeWav:
    """Reads the samples in a WAV file of 16 bits.

    Args:
      contents: The bytes of the file, a scalar string.
      desired_channels: The number of channels to return, or -1 for all. Surplus channels are
        dropped, and a single channel is copied.
      desired_samples: The number of samples to return, or -1 for all. Surplus samples are dropped,
        and missing samples are filled with silence.
      name: Accepted for compatibility.

    Returns:
      A named tuple: `audio`, a float32 tensor of shape (samples, channels) in [-1, 1), and
      `sample_rate`, an int32 scalar.

    Raises:
      InvalidArgumentError: The bytes are not a WAV file of 16 bits, or there are too few channels.

    >>> sound = tf.audio.encode_wav([[0.0], [0.5]], sample_rate=8000)
    >>> tf.audio.decode_wav(sound).audio.numpy().tolist()
    [[0.0], [0.5]]
    """
    held = texts(contents, _READ)._value
    if held.ndim:
        raise invalid(f"contents must be scalar, got shape {shown_shape(held.shape)} [Op:{_READ}]")
    channels, rate, samples = _parsed(held.item())
    wanted = channels if desired_channels < 0 else desired_channels
    if wanted > channels > 1:
        raise invalid(
            f"desired_channels is {wanted}, but the file has {channels} channels [Op:{_READ}]",
            About.VALUES,
        )
    audio = samples[:, :wanted] if wanted <= channels else np.repeat(samples, wanted, 1)
    if desired_samples >= 0:
        missing = max(desired_samples - len(audio), 0)
        audio = np.pad(audio[:desired_samples], ((0, missing), (0, 0)))
    return DecodeWav(Tensor(np.ascontiguousarray(audio)), Tensor(np.int32(rate)))


def _parsed(data: bytes) -> tuple[int, int, Any]:
    """Returns the number of channels, the rate and the samples of a file.

    Raises:
      InvalidArgumentError: The bytes are not a WAV file of 16 bits.
    """
    if len(data) < 12:
        raise invalid(f"Data too short when trying to read string [Op:{_READ}]", About.VALUES)
    for place, word in ((0, b"RIFF"), (8, b"WAVE")):
        found = data[place : place + 4]
        if found != word:
            raise invalid(
                f"Header mismatch: Expected {word.decode()} but found "
                f"{found.decode(errors='replace')} [Op:{_READ}]",
                About.VALUES,
            )
    channels, rate = 0, 0
    for name, body in _chunks(data):
        if name == b"fmt ":
            channels, rate = _format(body)
        elif name == b"data" and channels:
            whole = len(body) // (2 * channels) * channels
            samples = np.frombuffer(body, "<i2", whole).reshape(-1, channels)
            return channels, rate, samples.astype(np.float32) / np.float32(_FULL)
    raise invalid(
        f"Data too short when trying to read string: no samples found [Op:{_READ}]", About.VALUES
    )


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    place = 12
    while place + 8 <= len(data):
        name, size = data[place : place + 4], int.from_bytes(data[place + 4 : place + 8], "little")
        if place + 8 + size > len(data):
            raise invalid(
                f"Data too short: the part {name.decode(errors='replace')!r} says that it has "
                f"{size} bytes, but {len(data) - place - 8} are left [Op:{_READ}]",
                About.VALUES,
            )
        yield name, data[place + 8 : place + 8 + size]
        place += 8 + size


def _format(body: bytes) -> tuple[int, int]:
    if len(body) < 16:
        raise invalid(f"Bad format chunk size for WAV: {len(body)} [Op:{_READ}]", About.VALUES)
    kind, channels, rate, _, _, bits = struct.unpack_from("<HHIIHH", body)
    if kind != 1:
        raise invalid(
            f"Bad audio format for WAV: Expected 1 (PCM), but got{kind} [Op:{_READ}]", About.VALUES
        )
    if bits != 16:
        raise invalid(
            f"Can only read 16-bit WAV files, but received {bits} bits per sample [Op:{_READ}]",
            About.VALUES,
        )
    if not channels:
        raise invalid(f"A WAV file must have at least one channel [Op:{_READ}]", About.VALUES)
    return channels, rate


@export("audio.encode_wav")
@graph_operation(_WRITE, lambda new, *_, **__: new((), string))
def encode_wav(audio: Any, sample_rate: Any, name: str | None = None) -> Tensor:
    """Writes samples as a WAV file of 16 bits.

    Args:
      audio: A float32 tensor of shape (samples, channels); values outside [-1, 1] are clipped.
      sample_rate: The number of samples per second, an integer.
      name: Accepted for compatibility.

    Returns:
      The bytes of the file, a scalar string.

    Raises:
      InvalidArgumentError: `audio` is not a matrix or has no columns, or the rate is not
        positive.

    >>> len(tf.audio.encode_wav(tf.zeros([10, 1]), sample_rate=8000).numpy())
    64
    """
    samples = np.asarray(input_of(_WRITE, 0, audio, float32)._numpy())
    rate = int(scalar(input_of(_WRITE, 1, sample_rate, int32), _WRITE, "sample_rate"))
    if samples.ndim != 2:
        raise invalid(f"audio must be 2-dimensional{shown_shape(samples.shape)} [Op:{_WRITE}]")
    channels = samples.shape[1]
    if not channels:
        raise invalid(
            f"audio must have at least one channel, got {channels} [Op:{_WRITE}]", About.VALUES
        )
    if not 0 < rate < 1 << 32:
        raise invalid(f"sample_rate must be in (0, 2^32), got: {rate} [Op:{_WRITE}]", About.VALUES)
    steps = np.clip(np.rint(samples * np.float32(_FULL)), -_FULL, _FULL - 1)
    body = steps.astype("<i2").tobytes()
    form = struct.pack("<HHIIHH", 1, channels, rate, 2 * channels * rate, 2 * channels, 16)
    head = b"RIFF" + struct.pack("<I", 36 + len(body)) + b"WAVEfmt " + struct.pack("<I", len(form))
    return strings([head + form + b"data" + struct.pack("<I", len(body)) + body], ())
