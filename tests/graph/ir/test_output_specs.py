"""Shapes and dtypes of what operations give, told without values."""

import pytest

import gradtape as tf

UNKNOWN = tf.TensorSpec([None, 3], tf.float32)


@pytest.mark.parametrize(
    ("function", "shape", "dtype"),
    [
        (lambda x: x + 1.0, [None, 3], tf.float32),
        (lambda x: tf.reduce_sum(x, 0), [3], tf.float32),
        (lambda x: tf.matmul(x, tf.ones([3, 5])), [None, 5], tf.float32),
        (lambda x: tf.concat([x, x], 1), [None, 6], tf.float32),
        (lambda x: tf.argmax(x, 1), [None], tf.int64),
        (lambda x: tf.cast(x, tf.complex64), [None, 3], tf.complex64),
        (lambda x: tf.linalg.inv(tf.matmul(x, x, transpose_a=True)), [3, 3], tf.float32),
        (tf.shape, [2], tf.int32),
    ],
)
def test_what_is_known_of_results(function, shape, dtype):
    seen = []

    @tf.function(input_signature=[UNKNOWN])
    def f(x):
        y = function(x)
        seen.append((y.shape.as_list(), y.dtype))
        return y

    result = f.get_concrete_function().structured_outputs
    assert seen[0] == (shape, dtype)
    assert result.dtype is dtype


def test_what_does_not_fit_is_an_error_of_the_call():
    f = tf.function(lambda x: tf.matmul(x, tf.ones([4, 2])), input_signature=[UNKNOWN])
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        f(tf.ones([2, 3]))
