"""Cosine transforms."""

import numpy as np
import pytest

import gradtape as tf

X = np.sin(np.arange(20.0))


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (lambda: tf.signal.dct(X, 5), ValueError, "Types"),
        (lambda: tf.signal.dct(X, 1, norm="ortho"), ValueError, "Type-I"),
        (lambda: tf.signal.dct(X, 2, axis=0), NotImplementedError, "axis"),
        (lambda: tf.signal.dct([1, 2, 3]), TypeError, "int32"),
    ],
)
def test_what_cosine_transforms_refuse(call, error, match):
    with pytest.raises(error, match=match):
        call()
