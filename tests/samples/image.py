"""Images: what of them rests on no operation of its own, checked against finite differences."""

from __future__ import annotations

import numpy as np

from gradtape._src.ops.image import color, projection, quality, resize

from .base import Sample

_rng = np.random.default_rng(8)
COLORS = _rng.permutation(np.linspace(0.1, 0.9, 18)).reshape(2, 3, 3)
IMAGE = _rng.standard_normal((1, 4, 3, 2))
ROWS, COLUMNS = _rng.standard_normal((2, 4)), _rng.standard_normal((5, 3))
FLIPPED = np.array([[-1, 0, 2, 0, 1, 1, 0, 0]], np.float32)

SAMPLES = [
    Sample("SelectV2", color.rgb_to_hsv, (COLORS,), name="rgb_to_hsv"),
    Sample("MatMul", color.rgb_to_grayscale, (COLORS,), name="rgb_to_grayscale"),
    Sample("Abs", quality.total_variation, (IMAGE,), name="total_variation"),
    Sample("Conv2D", quality.sobel_edges, (IMAGE,), name="sobel_edges"),
    Sample(
        "Einsum",
        lambda x: resize.weighted(x, ROWS.astype(x.dtype.name), COLUMNS.astype(x.dtype.name)),
        (IMAGE,),
        lambda x: np.einsum("ih,bhwc,jw->bijc", ROWS, x, COLUMNS),
        "resize",
    ),
    # A reflection and a shift by whole pixels: there, TensorFlow's gradient is the derivative.
    Sample(
        "ImageProjectiveTransformV3",
        lambda x: projection.image_projective_transform(x, FLIPPED, [4, 3]),
        (_rng.standard_normal((1, 4, 3, 2)),),
        lambda x: np.concatenate([x[:, 1:, ::-1], np.zeros((1, 1, 3, 2))], 1),
    ),
]
