"""Frames of signals, short-time Fourier transforms, and speech features."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import float32
from gradtape._src.base.errors import About
from gradtape._src.base.export import export
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import integer, invalid, sizes
from gradtape._src.declare.general import general, shape_of
from gradtape._src.declare.open_graphs import with_fed_values
from gradtape._src.declare.structural import (
    broadcast_to_p,
    concat_p,
    reduce_sum_p,
    reshape_p,
    transpose_p,
)
from gradtape._src.declare.unknown_sizes import is_unknown
from gradtape._src.ops.array.gather import gather_p
from gradtape._src.ops.array.joining import split
from gradtape._src.ops.array.roll_reverse import reverse_p, roll
from gradtape._src.ops.signal.cosine import dct
from gradtape._src.ops.signal.fft import fitted, irfft, rfft
from gradtape._src.ops.signal.windows import floating, hann_window, vorbis_window, whole

Window = Callable[..., Any]


def _need_rank(x: Any, least: int) -> None:
    if len(shape_of(x)) < least:
        raise ValueError(f"Shape {tuple(shape_of(x))} must have rank at least {least}")


def _step(value: Any, op: str) -> int:
    step = whole(value, "frame_step")
    if step < 1:
        raise invalid(f"frame_step must be positive, got {step} [Op:{op}]", About.VALUES)
    return step


@export("signal.frame")
@with_fed_values
def frame(
    signal: Any,
    frame_length: Any,
    frame_step: Any,
    pad_end: Any = False,
    pad_value: Any = 0,
    axis: Any = -1,
    name: str | None = None,
) -> Tensor:
    """Cuts an axis into frames, which overlap if the step is less than their length.

    Args:
      signal: A tensor of shape (..., n, ...).
      frame_length: The length of a frame.
      frame_step: The distance between the starts of frames.
      pad_end: Whether frames that reach beyond the end of the signal are padded and kept.
      pad_value: The padding value.
      axis: The axis to cut.
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (..., frames, frame_length, ...).

    Raises:
      ValueError: The signal has no axis, or a length is not a whole number.
      IndexError: The axis is out of range.
      InvalidArgumentError: The step is not positive.

    >>> tf.signal.frame([1, 2, 3, 4, 5], frame_length=2, frame_step=2).numpy()
    array([[1, 2],
           [3, 4]], dtype=int32)
    """
    x = tensor(signal)
    _need_rank(x, 1)
    rank = len(shape_of(x))
    at = integer(axis, "frame")
    if not -rank <= at < rank:
        raise IndexError(f"frame: axis {at} is out of range for a signal of rank {rank}")
    at %= rank
    length, step = whole(frame_length, "frame_length"), _step(frame_step, "frame")
    n = shape_of(x)[at]
    frames = -(-n // step) if pad_end else max(0, 1 + (n - length) // step)
    missing = (frames - 1) * step + length - n
    if pad_end and missing > 0:
        filler = convert_to_tensor(pad_value, x.dtype)
        shape = (*shape_of(x)[:at], missing, *shape_of(x)[at + 1 :])
        x = concat_p(x, broadcast_to_p(filler, shape=shape), axis=at - rank)
    where = {"frames": frames, "step": step, "length": length}
    places = _places_p(**where) if is_unknown([frames]) else Tensor(_places(**where))
    return gather_p(x, places, axis=at, batch_dims=0)


def _places(*, frames: int, step: int, length: int) -> np.ndarray[Any, Any]:
    """Returns the indices in a signal of the elements of each frame."""
    return np.arange(frames)[:, None] * step + np.arange(length)


_places_p = general("FramePlaces", _places, xla=_places)
"""This handles signals whose length is known only when a graph runs."""


@export("signal.overlap_and_add")
@with_fed_values
def overlap_and_add(signal: Any, frame_step: Any, name: str | None = None) -> Tensor:
    """Adds up overlapping frames, whose starts are `frame_step` apart.

    Args:
      signal: A tensor of shape (..., frames, frame_length).
      frame_step: The distance between the starts of frames.
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (..., (frames - 1) * frame_step + frame_length).

    Raises:
      ValueError: The signal has less than two axes, or the step is not a whole number.
      InvalidArgumentError: The step is not positive.
    """
    x = tensor(signal)
    _need_rank(x, 2)
    step = _step(frame_step, "overlap_and_add")
    *lead, frames, length = shape_of(x)
    if not frames:
        out: Tensor = fitted(reshape_p(x, shape=(*lead, 0)), (max(length - step, 0),))
        return out
    parts = max(1, -(-length // step))
    rank, wide = len(lead), parts * step
    x = fitted(x, (frames, wide))
    x = reshape_p(x, shape=(*lead, frames, parts, step))
    x = transpose_p(x, perm=(*range(rank), rank + 1, rank, rank + 2))
    # If rows of length `frames + parts` are reshaped to rows that are shorter by one, each row is
    # shifted by one more.
    x = fitted(x, (parts, frames + parts, step))
    x = reshape_p(x, shape=(*lead, parts * (frames + parts), step))
    x = fitted(x, (parts * (frames + parts - 1), step))
    x = reshape_p(x, shape=(*lead, parts, frames + parts - 1, step))
    x = reduce_sum_p(x, axis=(-3,), keepdims=False)
    x = reshape_p(x, shape=(*lead, (frames + parts - 1) * step))
    other: Tensor = fitted(x, ((frames - 1) * step + length,))
    return other


def _windowed(frames: Any, window_fn: Window | None) -> Any:
    if window_fn is None:
        return frames
    return frames * convert_to_tensor(window_fn(shape_of(frames)[-1], dtype=frames.dtype))


def _enclosing(n: int) -> int:
    """Returns the least power of two that is greater than or equal to n."""
    return 1 << max(0, n - 1).bit_length()


@export("signal.stft")
def stft(
    signals: Any,
    frame_length: Any,
    frame_step: Any,
    fft_length: Any = None,
    window_fn: Window | None = hann_window,
    pad_end: Any = False,
    name: str | None = None,
) -> Tensor:
    """Returns the short-time Fourier transform: the Fourier transforms of windowed frames.

    Args:
      signals: A floating-point tensor of shape (..., n).
      frame_length: The length of a frame.
      frame_step: The distance between the starts of frames.
      fft_length: The length to which frames are truncated or padded. Defaults to the least power of
        two that is at least `frame_length`.
      window_fn: A function `(length, dtype=...) -> window`, or None for no window.
      pad_end: Whether the last frames are padded with zeros.
      name: Accepted for compatibility.

    Returns:
      A complex tensor of shape (..., frames, fft_length // 2 + 1).

    Raises:
      ValueError: A length is not a whole number.
    """
    x = tensor(signals)
    length = whole(frame_length, "frame_length")
    size = _enclosing(length) if fft_length is None else whole(fft_length, "fft_length")
    frames = frame(x, length, frame_step, pad_end)
    return rfft(_windowed(frames, window_fn), [size])


@export("signal.inverse_stft")
def inverse_stft(
    stfts: Any,
    frame_length: Any,
    frame_step: Any,
    fft_length: Any = None,
    window_fn: Window | None = hann_window,
    name: str | None = None,
) -> Tensor:
    """Returns the signal of a short-time Fourier transform, by adding overlapping windowed frames.

    With the window that `inverse_stft_window_fn` makes, it is the inverse of `stft`.

    Args:
      stfts: A complex tensor of shape (..., frames, fft_length // 2 + 1).
      frame_length: The length of a frame.
      frame_step: The distance between the starts of frames.
      fft_length: The `fft_length` of `stft`.
      window_fn: A function `(length, dtype=...) -> window`, or None for no window.
      name: Accepted for compatibility.

    Returns:
      A real tensor of shape (..., (frames - 1) * frame_step + frame_length).

    Raises:
      ValueError: A length is not a whole number, or `stfts` has less than two axes.
    """
    x = tensor(stfts)
    _need_rank(x, 2)
    length = whole(frame_length, "frame_length")
    size = _enclosing(length) if fft_length is None else whole(fft_length, "fft_length")
    frames = fitted(irfft(x, [size]), (length,))
    return overlap_and_add(_windowed(frames, window_fn), frame_step)


@export("signal.inverse_stft_window_fn")
def inverse_stft_window_fn(
    frame_step: Any, forward_window_fn: Window = hann_window, name: str | None = None
) -> Callable[[Any, Any], Tensor]:
    """Returns the window for `inverse_stft` that corresponds to a window of `stft`.

    Griffin and Lim, "Signal estimation from modified short-time Fourier transform" (1984).

    Args:
      frame_step: The distance between the starts of frames.
      forward_window_fn: The window of `stft`.
      name: Accepted for compatibility.

    Returns:
      A function `(frame_length, dtype)` that returns the window.
    """
    step = _step(frame_step, "inverse_stft_window_fn")

    def inverse(frame_length: Any, dtype: Any = float32) -> Tensor:
        length = whole(frame_length, "frame_length")
        window = convert_to_tensor(forward_window_fn(length, dtype=dtype))
        parts = -(-length // step)
        sums = reshape_p(fitted(window * window, (parts * step,)), shape=(parts, step))
        sums = reduce_sum_p(sums, axis=(-2,), keepdims=True)
        sums = reshape_p(broadcast_to_p(sums, shape=(parts, step)), shape=(parts * step,))
        out: Tensor = window / fitted(sums, (length,))
        return out

    return inverse


@export("signal.mdct")
def mdct(
    signals: Any,
    frame_length: Any,
    window_fn: Window | None = vorbis_window,
    pad_end: Any = False,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns the modified discrete cosine transform of frames that overlap by half.

    Princen, Johnson and Bradley, "Subband/transform coding using filter bank designs based on time
    domain aliasing cancellation" (1987).

    Args:
      signals: A floating-point tensor of shape (..., n).
      frame_length: The length of a frame, a multiple of 4.
      window_fn: A function `(length, dtype=...) -> window`, or None for the constant window.
      pad_end: Whether the last frames are padded with zeros.
      norm: None or "ortho".
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (..., frames, frame_length // 2).

    Raises:
      ValueError: The frame length is not a multiple of 4, or `norm` is not valid.
    """
    length = whole(frame_length, "frame_length")
    if length % 4:
        raise ValueError("The frame length must be a multiple of 4.")
    frames = frame(signals, length, length // 2, pad_end)
    frames = frames * np.sqrt(0.5) if window_fn is None else _windowed(frames, window_fn)
    a, b, c, d = split(frames, 4, axis=-1)
    folded = concat_p(-_turned(c) - d, a - _turned(b), axis=-1)
    return dct(folded, type=4, norm=norm)


def _turned(x: Any) -> Any:
    return reverse_p(x, axis=(-1,))


@export("signal.inverse_mdct")
def inverse_mdct(
    mdcts: Any,
    window_fn: Window | None = vorbis_window,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns the inverse of `mdct`, except for the first and the last half frame.

    Args:
      mdcts: A floating-point tensor of shape (..., frames, frame_length // 2).
      window_fn: A function `(length, dtype=...) -> window`, or None for the constant window.
      norm: None or "ortho", as for `mdct`.
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (..., (frames + 1) * frame_length // 2).

    Raises:
      ValueError: `norm` is not valid, or `mdcts` has less than two axes.
    """
    x = tensor(mdcts)
    _need_rank(x, 2)
    half = shape_of(x)[-1]
    out = dct(x, type=4, norm=norm)
    if norm is None:
        out = out * (0.5 / half)
    p, q = split(out, 2, axis=-1)
    frames = concat_p(q, -_turned(q), -_turned(p), -p, axis=-1)
    frames = frames * np.sqrt(0.5) if window_fn is None else _windowed(frames, window_fn)
    return overlap_and_add(frames, half)


@export("signal.fftshift")
def fftshift(x: Any, axes: Any = None, name: str | None = None) -> Tensor:
    """Moves the zero frequency to the middle.

    Args:
      x: A tensor.
      axes: The axes to shift. Defaults to all.
      name: Accepted for compatibility.

    Returns:
      A tensor of the shape and dtype of `x`.
    """
    return _shifted(x, axes, lambda n: n // 2)


@export("signal.ifftshift")
def ifftshift(x: Any, axes: Any = None, name: str | None = None) -> Tensor:
    """Moves the zero frequency from the middle to the beginning.

    Args:
      x: A tensor.
      axes: The axes to shift. Defaults to all.
      name: Accepted for compatibility.

    Returns:
      A tensor of the shape and dtype of `x`.
    """
    return _shifted(x, axes, lambda n: -(n // 2))


def _shifted(x: Any, axes: Any, by: Callable[[int], int]) -> Tensor:
    value = tensor(x)
    shape = shape_of(value)
    along = list(range(len(shape))) if axes is None else list(sizes(axes, "Roll", "axes"))
    return roll(value, [by(shape[a]) for a in along], along)


@export("signal.linear_to_mel_weight_matrix")
def linear_to_mel_weight_matrix(
    num_mel_bins: Any = 20,
    num_spectrogram_bins: Any = 129,
    sample_rate: Any = 8000,
    lower_edge_hertz: Any = 125.0,
    upper_edge_hertz: Any = 3800.0,
    dtype: Any = float32,
    name: str | None = None,
) -> Tensor:
    """Returns the matrix that maps a spectrogram's linear frequencies to bands of the mel scale.

    The bands are triangles of equal width in mel, where mel = 1127 log(1 + hertz / 700) (HTK).

    Args:
      num_mel_bins: The number of bands.
      num_spectrogram_bins: The number of frequencies from 0 to half the sample rate.
      sample_rate: Samples per second.
      lower_edge_hertz: The lower end of the lowest band.
      upper_edge_hertz: The upper end of the highest band.
      dtype: The floating-point dtype of the matrix.
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (num_spectrogram_bins, num_mel_bins).

    Raises:
      ValueError: There are no bands, a band exceeds half the sample rate, or the dtype is not
        floating.
    """
    kind = floating(dtype, "Got")
    bands = whole(num_mel_bins, "num_mel_bins")
    rate, low, high = (
        float(tensor(v)._numpy()) for v in (sample_rate, lower_edge_hertz, upper_edge_hertz)
    )
    if bands <= 0:
        raise ValueError(f"num_mel_bins must be positive. Got: {bands}")
    if rate <= 0:
        raise ValueError(f"sample_rate must be positive. Got: {sample_rate}")
    if low < 0:
        raise ValueError(f"lower_edge_hertz must be non-negative. Got: {lower_edge_hertz}")
    if low >= high:
        raise ValueError(f"lower_edge_hertz {low} >= upper_edge_hertz {high}")
    if high > rate / 2:
        raise ValueError(
            f"upper_edge_hertz must not be larger than the Nyquist frequency (sample_rate / 2). "
            f"Got {high} for sample_rate: {sample_rate}"
        )
    count = whole(num_spectrogram_bins, "num_spectrogram_bins")
    mels = _mel(np.linspace(0, rate / 2, count))[:, None]
    edges = np.linspace(_mel(low), _mel(high), bands + 2)
    rising = (mels - edges[:-2]) / np.diff(edges)[:-1]
    falling = (edges[2:] - mels) / np.diff(edges)[1:]
    out = np.maximum(0, np.minimum(rising, falling))
    out[:1] = 0  # The constant component is not used.
    return Tensor(out.astype(kind.np_dtype))


def _mel(hertz: Any) -> Any:
    return 1127 * np.log1p(hertz / 700.0)


@export("signal.mfccs_from_log_mel_spectrograms")
def mfccs_from_log_mel_spectrograms(log_mel_spectrograms: Any, name: str | None = None) -> Tensor:
    """Returns the mel-frequency cepstral coefficients: cosine transforms of log-mel spectrograms.

    Args:
      log_mel_spectrograms: A floating-point tensor of shape (..., bands).
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape; programs keep the first few coefficients.

    Raises:
      ValueError: There are no bands.
    """
    x = tensor(log_mel_spectrograms)
    _need_rank(x, 1)
    bands = shape_of(x)[-1]
    if not bands:
        raise ValueError(f"num_mel_bins must be positive. Got: {x!r}")
    return dct(x, type=2) * float(np.sqrt(0.5 / bands))
