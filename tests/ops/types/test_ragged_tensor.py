"""Ragged tensors: their rows, and what is asked of them."""

import gradtape as tf


def test_row_lengths_along_any_axis():
    ragged = tf.ragged.constant([[[1, 2], [3]], [[4]]])
    assert ragged.row_lengths().numpy().tolist() == [2, 1]
    assert ragged.row_lengths(axis=2).to_list() == [[2, 1], [1]]
    assert ragged.row_lengths(axis=0) == 2
    uniform = tf.ragged.constant([[[1, 2], [3, 4]], [[5, 6]]], ragged_rank=1)
    assert uniform.row_lengths(axis=-1).to_list() == [[2, 2], [2]]


def test_row_lengths_decide_the_row_splits_dtype():
    lengths = tf.constant([1, 2], tf.int32)
    assert tf.RaggedTensor.from_row_lengths([1, 2, 3], lengths).row_splits.dtype == tf.int32
