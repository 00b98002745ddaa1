"""Derivatives of products of elements some of which are zero."""

import itertools

import numpy as np
import pytest

import gradtape as tf

IDS = [0, 1, 0, 0, 1, -1]
WEIGHTS = np.arange(1.0, 7.0)


def pairs(x):
    """The derivative of the weighted gradient: products of all but two of a segment."""
    out = np.zeros_like(x)
    for i, j in itertools.permutations(range(len(x)), 2):
        if IDS[i] == IDS[j] >= 0:
            rest = [x[k] for k in range(len(x)) if IDS[k] == IDS[i] and k not in (i, j)]
            out[j] += WEIGHTS[i] * np.prod(rest)
    return out


@pytest.mark.parametrize("zeros", [[], [0], [2, 4], [0, 2, 3], [0, 1, 2, 3, 4, 5]])
def test_second_derivatives_of_segments_with_zeros(zeros):
    values = np.array([2.0, 3.0, 5.0, 7.0, 11.0, 13.0])
    values[zeros] = 0
    x = tf.constant(np.stack([values, values[::-1]], 1))  # two columns, each by itself
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.math.unsorted_segment_prod(x, IDS, 2)
        z = tape.gradient(y, x) * WEIGHTS[:, None]
    found = outer.gradient(z, x).numpy()
    np.testing.assert_allclose(found[:, 0], pairs(values))
    np.testing.assert_allclose(found[:, 1], pairs(values[::-1]))


def test_means_of_segments_of_integers_are_integers():
    means = tf.math.segment_mean([1, 2, -5, -2], [0, 0, 1, 1])
    assert means.dtype == tf.int32
    np.testing.assert_array_equal(means, [1, -3])
