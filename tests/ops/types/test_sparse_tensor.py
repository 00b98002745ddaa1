"""Elementwise functions of sparse tensors, and their gradients."""

import copy
import pickle

import numpy as np
import pytest

import gradtape as tf

PLACES = ((0, 0), (0, 1), (1, 0))
KEEP_ZEROS = tuple(
    """
    abs asin asinh atan atanh bessel_i0e bessel_i1e erf negative sign sin sqrt square tan tanh
    """.split()  # noqa: SIM905
)


@pytest.mark.parametrize("name", KEEP_ZEROS)
def test_gradients_reach_the_values(name):
    function = getattr(tf.math, name)
    x = tf.Variable([0.25, 0.5, 0.75])
    with tf.GradientTape(persistent=True) as tape:
        sparse = function(tf.SparseTensor(PLACES, x, (2, 2)))
        plain = function(x)
    np.testing.assert_array_equal(sparse.indices, PLACES)
    np.testing.assert_array_equal(sparse.values, plain)
    ours, theirs = (tape.gradient(y, x) for y in (sparse.values, plain))
    assert (ours is None) == (theirs is None)
    if ours is not None:
        np.testing.assert_array_equal(ours, theirs)


def test_copies_and_pickles():
    whole = tf.SparseTensor(PLACES, [0.25, 0.5, 0.75], (2, 2))
    for other in (copy.copy(whole), copy.deepcopy(whole), pickle.loads(pickle.dumps(whole))):
        np.testing.assert_array_equal(other.indices, PLACES)
        np.testing.assert_array_equal(other.values, whole.values)
        assert other.shape == whole.shape
