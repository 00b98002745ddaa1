"""Arguments of `dropout` that are checked; what it draws is tested with the samples."""

import pytest

import gradtape as tf


@pytest.mark.parametrize("shape", [1, [[1, 3]], tf.constant(2)])
def test_the_shape_of_decisions_is_a_vector(shape):
    noise = tf.constant(shape) if isinstance(shape, list) else shape
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be a vector"):
        tf.nn.dropout(tf.ones((2, 3)), 0.5, noise_shape=noise)


def test_rows_are_dropped_together():
    tf.random.set_seed(1)
    out = tf.nn.dropout(tf.ones((100, 3)), 0.5, noise_shape=[None, 1]).numpy()
    assert (out == out[:, :1]).all()
    assert {0.0, 2.0} == set(out.ravel().tolist())
