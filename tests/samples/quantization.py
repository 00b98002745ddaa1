"""Numbers rounded to levels: with so many levels that they are differentiable."""

from __future__ import annotations

import numpy as np

from gradtape._src.ops.quantization import quantize_and_dequantize as qd

from .base import Sample

X = np.array([[0.3, -1.2, 2.9], [1.7, -0.4, 0.8]])
FINE = {"num_bits": 46, "range_given": True}

SAMPLES = [
    Sample(
        "QuantizeAndDequantizeV4",
        lambda x: qd.quantize_and_dequantize_v2(x, -4.0, 4.0, **FINE),
        (X,),
        lambda x: x,
    ),
    Sample(
        "QuantizeAndDequantizeV2",
        lambda x: qd.quantize_and_dequantize(x, [-4.0, -3.0], [4.0, 3.0], axis=0, **FINE),
        (X,),
        lambda x: x,
    ),
]
