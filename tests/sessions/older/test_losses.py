"""Losses of TensorFlow 1; values from TensorFlow 2.21."""

import pytest

import gradtape as tf


def test_softmax_cross_entropy():
    labels, logits = [[0, 1], [1, 0]], [[1.0, 2.0], [3.0, 4.0]]
    loss = tf.compat.v1.losses.softmax_cross_entropy(
        labels, logits, weights=[1.0, 0.0], label_smoothing=0.1
    )
    assert float(loss) == pytest.approx(0.36326164)
    with pytest.raises(ValueError, match="Invalid Reduction Key"):
        tf.compat.v1.losses.softmax_cross_entropy(labels, logits, reduction="all")
