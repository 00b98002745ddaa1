"""Sequences of labels."""

from __future__ import annotations

import numpy as np

from gradtape._src.ops.nn.ctc import ctc_loss
from gradtape._src.ops.types.sparse_tensor import SparseTensor

from .base import Sample

LOGITS = np.random.default_rng(0).standard_normal((5, 2, 4))
LABELS = np.array([[1, 2, 2], [3, 1, 0]])
PLACES = [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1]]


def _dense(x):
    return ctc_loss(LABELS, x, [3, 2], [5, 4])


def _sparse(x):
    labels = SparseTensor(PLACES, [1, 2, 2, 0, 1], [2, 3])
    return ctc_loss(labels, x, None, [5, 4], blank_index=-1)


SAMPLES = [
    # TensorFlow has no second derivative either: it raises a LookupError, or gives NaN.
    Sample("CTCLoss", _dense, (LOGITS,), None, "dense", second_order=False),
    Sample("CTCLoss", _sparse, (LOGITS,), None, "sparse", second_order=False),
]
