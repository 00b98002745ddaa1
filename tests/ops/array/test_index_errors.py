"""Indices that do not fit a shape have TensorFlow's errors."""

from __future__ import annotations

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.core.tensor import Tensor
from gradtape._src.ops.array.index_errors import unsuitable

X = Tensor(np.zeros((2, 3)))


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ((..., ...), "Multiple ellipses"),
        ((0, 0, 0), "input has only 2 dims"),
        ((0, 3), "slice index 3 of dimension 1 out of bounds"),
        ((..., -4), "slice index -1 of dimension 1 out of bounds"),
        (slice(None, None, 0), r"strides\[0\] must be non-zero"),
    ],
)
def test_what_does_not_fit(key, message):
    error = unsuitable(X, key)
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        raise error


def test_a_scalar_has_no_axis():
    error = unsuitable(Tensor(np.float32(1)), 0)
    assert "Attempting to slice scalar input" in str(error)


@pytest.mark.parametrize("key", [0, (1, -3), (..., 2), (None, 0), slice(5, 9), ()])
def test_what_fits(key):
    assert unsuitable(X, key) is None
