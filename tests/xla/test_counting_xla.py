"""Masks, counts and reversed rows in compiled functions, where the shapes do not hang on values."""

from __future__ import annotations

import numpy as np
import pytest

import gradtape as tf

pytest.importorskip("jax")

pytestmark = pytest.mark.slow


def counted(x, n, other):
    return {
        "mask": tf.sequence_mask(n, 5, tf.float32),
        "reversed": tf.reverse_sequence(x, n[:3], seq_axis=1),
        "counts": tf.math.bincount(n, minlength=4, maxlength=4),
        "weighed": tf.math.bincount(n, x[0], minlength=5, maxlength=5),
        "binary": tf.math.bincount(n, minlength=3, maxlength=3, binary_output=True),
        "confusion": tf.math.confusion_matrix(n, other, 5),
        "weighed confusion": tf.math.confusion_matrix(n, other % 4, 4, x[0], tf.float64),
        "inverted": tf.math.invert_permutation(other % 4),
        "drawn": tf.random.stateless_categorical(tf.cast(x, tf.float32), 7, [1, 2], tf.int32),
        "rank": tf.linalg.matrix_rank(tf.stack([x[:2], x[1:]])),
        "rank beyond": tf.linalg.matrix_rank(x, tol=2.0),
    }


def test_counting():
    x = tf.constant(np.float64([[1, 2, 3, 4], [2, 4, 6, 8], [0, -1, 5, 2]]))
    given = x, tf.constant([3, 0, 3, 2]), tf.constant([3, 1, 2, 4])
    got = tf.function(counted, jit_compile=True)(*given)
    for name, want in counted(*given).items():
        assert got[name].dtype == want.dtype, name
        np.testing.assert_allclose(got[name].numpy(), want.numpy(), err_msg=name)


def test_a_batch_of_masks():
    mapped = tf.vectorized_map(lambda n: tf.sequence_mask(n, 3), tf.constant([[0, 2], [3, 1]]))
    assert mapped.numpy().tolist() == tf.sequence_mask([[0, 2], [3, 1]], 3).numpy().tolist()
