import numpy as np
import pytest

import gradtape as tf

v1 = tf.compat.v1
LABELS = np.eye(3, dtype="f")
LOGITS = np.arange(9.0, dtype="f").reshape(3, 3)


def test_two_names_of_arguments():
    logits, labels = [0.5, -0.5], [1.0, 0.0]
    new = v1.nn.weighted_cross_entropy_with_logits(labels, logits, 2.0)
    old = v1.nn.weighted_cross_entropy_with_logits(targets=labels, logits=logits, pos_weight=2.0)
    np.testing.assert_allclose(new, old)
    np.testing.assert_allclose(new, tf.nn.weighted_cross_entropy_with_logits(labels, logits, 2.0))
    with pytest.raises(ValueError, match="both"):
        v1.nn.weighted_cross_entropy_with_logits(labels, logits, 2.0, targets=labels)


def test_the_axis_has_an_old_name():
    wanted = tf.nn.softmax_cross_entropy_with_logits(LABELS, LOGITS, axis=0)
    first, second = (
        v1.nn.softmax_cross_entropy_with_logits,
        v1.nn.softmax_cross_entropy_with_logits_v2,
    )
    for found in (
        first(LABELS, LOGITS, 0),
        first(labels=LABELS, logits=LOGITS, axis=0),
        second(LABELS, LOGITS, 0),
        second(LABELS, LOGITS, dim=0),
    ):
        np.testing.assert_array_equal(found, wanted)
    for loss in (first, second):
        with pytest.raises(ValueError, match="Cannot specify both"):
            loss(LABELS, LOGITS, dim=0, axis=0)


def test_labels_are_constants_in_the_older_loss():
    labels, logits = tf.Variable(LABELS), tf.Variable(LOGITS)
    with tf.GradientTape(persistent=True) as tape:
        old = v1.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits)
        new = v1.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits)
    assert tape.gradient(old, labels) is None
    assert tape.gradient(new, labels) is not None
    np.testing.assert_array_equal(tape.gradient(old, logits), tape.gradient(new, logits))


def test_labels_and_logits_are_needed():
    for name in ("softmax", "sparse_softmax", "sigmoid"):
        loss = getattr(v1.nn, f"{name}_cross_entropy_with_logits")
        with pytest.raises(ValueError, match="must be provided"):
            loss(labels=LABELS)
    found = v1.nn.sparse_softmax_cross_entropy_with_logits(logits=LOGITS, labels=[0, 1, 2])
    np.testing.assert_allclose(found, [2.4076061, 1.407606, 0.407606], rtol=1e-6)
    found = v1.nn.sigmoid_cross_entropy_with_logits(logits=LOGITS, labels=LABELS)
    np.testing.assert_array_equal(found, tf.nn.sigmoid_cross_entropy_with_logits(LABELS, LOGITS))
