"""Fourier transforms."""

from __future__ import annotations

import numpy as np

from gradtape._src.ops.signal import fft as f

from .base import Sample

_rng = np.random.default_rng(7)
X = _rng.standard_normal((2, 3, 4))
Z = X + 1j * _rng.standard_normal((2, 3, 4))


def _over(n, run):
    return lambda x: run(x, axes=tuple(range(-n, 0)))


SAMPLES = [
    Sample("FFT", f.fft, (Z,), np.fft.fft),
    Sample("IFFT", f.ifft, (Z,), np.fft.ifft),
    Sample("FFT2D", f.fft2d, (Z,), np.fft.fft2),
    Sample("IFFT2D", f.ifft2d, (Z,), np.fft.ifft2),
    Sample("FFT3D", f.fft3d, (Z,), _over(3, np.fft.fftn)),
    Sample("IFFT3D", f.ifft3d, (Z,), _over(3, np.fft.ifftn)),
    Sample("RFFT", f.rfft, (X,), np.fft.rfft),
    Sample("RFFT", lambda x: f.rfft(x, [5]), (X,), lambda x: np.fft.rfft(x, 5), "padded"),
    Sample("RFFT", f.rfft2d, (X,), np.fft.rfft2, "2d"),
    Sample("IRFFT", f.irfft, (Z,), np.fft.irfft),
    Sample("IRFFT", lambda z: f.irfft(z, [5]), (Z,), lambda z: np.fft.irfft(z, 5), "odd"),
    Sample("IRFFT", f.irfft2d, (Z,), np.fft.irfft2, "2d"),
]
