"""Shapes and dtypes of the results of operations, inferred without values."""

import itertools

import pytest

import gradtape as tf
from gradtape._src.graph.tracing.output_specs import _SAMPLE_LENGTHS

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


def _line(a, b):
    """Whether b = slope * a + constant at all places, with an integer as the slope."""
    slope, rest = divmod(b[0] - b[1], a[0] - a[1])
    return not rest and all(v - b[0] == slope * (u - a[0]) for u, v in zip(a, b, strict=True))


def test_no_sample_length_follows_from_others():
    columns = list(zip(*_SAMPLE_LENGTHS, strict=True))
    made = list(columns)
    for a, b in itertools.combinations(columns, 2):
        pairs = list(zip(a, b, strict=True))
        made += [[u + v for u, v in pairs], [u - v for u, v in pairs], [u * v for u, v in pairs]]
    made += [[u // k for u in a] for a in columns for k in range(2, 6)]
    made += [[-(-u // k) for u in a] for a in columns for k in range(2, 6)]
    assert not [(a, b) for a in columns for b in made if a is not b and _line(a, b)]


def test_three_unknown_lengths_are_told_apart():
    @tf.function(input_signature=[tf.TensorSpec([None, None, None])])
    def parts(x):
        a, b = tf.split(x, [1, -1], axis=1)
        with tf.GradientTape() as tape:
            tape.watch(b)
            z = tf.reduce_sum(b * 2)
        return a, tape.gradient(z, b)

    for shape in ([2, 3, 4], [5, 2, 1], [1, 4, 9]):
        a, g = parts(tf.ones(shape))
        assert (a.shape, g.shape) == ((shape[0], 1, shape[2]), (shape[0], shape[1] - 1, shape[2]))
