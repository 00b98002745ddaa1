"""One-hot vectors, masks of sequences and grids, also where an argument does not suit."""

import numpy as np
import pytest

import gradtape as tf


def test_one_hot_puts_its_axis_anywhere_and_leaves_out_what_is_out_of_range():
    np.testing.assert_array_equal(tf.one_hot([0, 2, -1], 3), [[1, 0, 0], [0, 0, 1], [0, 0, 0]])
    first = tf.one_hot([[0, 1]], 2, on_value=5, off_value=-5, axis=0)
    assert first.shape == (2, 1, 2)
    assert first.dtype == tf.int32
    np.testing.assert_array_equal(first[:, 0], [[5, -5], [-5, 5]])


def test_a_mask_is_as_long_as_the_longest_sequence_or_as_said():
    np.testing.assert_array_equal(tf.sequence_mask([1, 0, 2]), np.tri(3, 2, -1)[[1, 0, 2]] > 0)
    assert tf.sequence_mask([[1], [2]], 5, tf.float32).shape == (2, 1, 5)


def test_a_grid_has_a_tensor_for_each_vector_in_either_order_of_axes():
    for indexing in ("xy", "ij"):
        found = tf.meshgrid([1, 2, 3], [4, 5], indexing=indexing)
        wanted = np.meshgrid([1, 2, 3], [4, 5], indexing=indexing)
        for ours, theirs in zip(found, wanted, strict=True):
            np.testing.assert_array_equal(ours, theirs)
    with pytest.raises(ValueError, match="indexing"):
        tf.meshgrid([1], [2], indexing="yx")
