"""A graph as one straight-line function gives what its operations give."""

import numpy as np
import pytest

import gradtape as tf

X = np.linspace(0.1, 2.0, 12).reshape(3, 4).astype(np.float32)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: tf.reduce_sum(tf.sin(x) * x + tf.exp(-x), 1),
        lambda x: tf.nn.softmax(x @ tf.transpose(x)),
        lambda x: tf.split(x, 2, axis=1)[1] * 3.0,
        lambda x: tf.where(x > 1.0, x, x * x),
        lambda x: tf.concat([x, x + 1.0], 0)[::2],
        lambda x: tf.cast(tf.argmax(x, 1), tf.float32),
    ],
)
def test_it_gives_what_eager_execution_gives(function):
    x = tf.constant(X)
    traced = tf.function(function)
    for _ in range(2):
        np.testing.assert_allclose(traced(x), function(x), rtol=1e-6)
    np.testing.assert_array_equal(x, X)  # nothing was computed in an argument's memory


def test_results_are_not_written_to_by_the_next_call():
    traced = tf.function(lambda x: (x + 1.0) * 2.0)
    first = traced(tf.constant(X))
    kept = first.numpy().copy()
    traced(tf.constant(X * 5))
    np.testing.assert_array_equal(first, kept)


def test_an_error_names_the_operation():
    traced = tf.function(lambda x, i: tf.gather(x, i))
    with pytest.raises(tf.errors.InvalidArgumentError, match="indices"):
        traced(tf.constant(X), tf.constant([7]))
