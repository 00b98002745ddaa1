"""Values are those of TensorFlow 2.21."""

import pytest

import gradtape as tf

v1 = tf.compat.v1
LABELS, GUESSES = [[1.0, 2.0, 4.0], [0.0, 1.0, 3.0]], [[2.0, 2.0, 1.0], [1.0, 5.0, 3.0]]
loss = v1.losses.mean_pairwise_squared_error


def test_eager_weights():
    """In eager execution, TensorFlow divides by the number of all elements for a single weight."""
    assert float(loss(LABELS, GUESSES)) == pytest.approx(8.866667)
    assert float(loss(LABELS, GUESSES, 2.0)) == pytest.approx(17.733334)
    assert float(loss(LABELS, GUESSES, [[1.0], [2.0]])) == pytest.approx(26.0)
    assert float(loss(LABELS, GUESSES, [[1.0], [0.0]])) == pytest.approx(8.666667)


def test_weights_in_a_graph():
    with tf.Graph().as_default(), v1.Session() as session:
        given = [loss(LABELS, GUESSES, w) for w in (1.0, tf.constant(2.0), 0.0)]
        assert session.run(given) == pytest.approx([17.333334, 34.666668, 0.0])
        assert v1.losses.get_losses() == given


def test_none():
    with pytest.raises(ValueError, match="`labels` must not be None"):
        loss(None, GUESSES)
