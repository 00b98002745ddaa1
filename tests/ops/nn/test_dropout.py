"""Arguments of `dropout` that are checked; what it draws is tested with the samples."""

import numpy as np
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


@pytest.mark.parametrize("noise", [tf.shape, lambda x: [tf.shape(x)[0], 1], lambda x: None])
def test_the_shape_of_the_noise_may_be_unknown(noise):
    def dropped(x):
        drop = tf.nn.experimental.stateless_dropout
        return drop(x, 0.5, seed=[1, 2], noise_shape=noise(x))

    f = tf.function(dropped, [tf.TensorSpec([None, 4], tf.float32)], autograph=False)
    assert f.get_concrete_function().output_shapes.rank == 2
    for n in (3, 6):
        np.testing.assert_array_equal(f(tf.ones([n, 4])), dropped(tf.ones([n, 4])))
