"""Transforms of signals."""

from __future__ import annotations

import numpy as np
from scipy import fft

from gradtape._src.ops.signal import cosine, frames

from .base import Sample

X = np.random.default_rng(11).standard_normal((2, 5))
Y = np.random.default_rng(12).standard_normal(17)


def _dct(kind, norm=None):
    name = f"type{kind}" + ("-ortho" if norm else "")
    return Sample(
        "DCT",
        lambda x: cosine.dct(x, kind, norm=norm),
        (X,),
        lambda x: fft.dct(x, kind, norm=norm),
        name,
    )


def _features(x):
    return frames.overlap_and_add(frames.mdct(x, 8, norm="ortho"), 3)


SAMPLES = [
    *[_dct(kind) for kind in (1, 2, 3, 4)],
    *[_dct(kind, "ortho") for kind in (2, 3, 4)],
    Sample("DCT", _features, (Y,), None, "framed"),
]
