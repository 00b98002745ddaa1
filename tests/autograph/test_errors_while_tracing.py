"""The errors during tracing that replace those of kernels."""

import pytest

import gradtape as tf
from gradtape._src.autograph.errors_while_tracing import (
    as_of_shapes,
    is_of_shapes,
    while_tracing,
)
from gradtape._src.base.errors import About, invalid_argument

WRONG_SHAPE = "Incompatible shapes: [2] vs. [3]"


def made(message):
    return tf.errors.InvalidArgumentError(None, None, message)


def test_what_a_program_raises_stays():
    kinds = []

    @tf.function
    def raising(x):
        try:
            raise made(WRONG_SHAPE)
        except tf.errors.InvalidArgumentError as error:
            kinds.append(type(while_tracing(error)))
        return x

    raising(tf.ones([]))
    assert kinds == [tf.errors.InvalidArgumentError]


def test_errors_outside_of_traces_stay():
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        tf.ones([2]) + tf.ones([3])
    assert while_tracing(caught.value) is caught.value


def test_errors_of_shapes():
    assert is_of_shapes(made(WRONG_SHAPE))
    assert is_of_shapes(made("slice index 5 of dimension 0 out of bounds."))
    assert not is_of_shapes(made("Input matrix is not invertible."))


@pytest.mark.parametrize(
    ("about", "known", "unknown"),
    [
        (About.DTYPES, TypeError, TypeError),
        (About.ATTRIBUTES, ValueError, ValueError),
        (About.SHAPES, ValueError, tf.errors.InvalidArgumentError),
        (About.VALUES, tf.errors.InvalidArgumentError, tf.errors.InvalidArgumentError),
    ],
)
def test_what_an_error_is_about_decides(about, known, unknown):
    error = invalid_argument("", about)
    assert type(as_of_shapes(error)) is known
    assert type(as_of_shapes(error, shapes_are_known=False)) is unknown


IMAGE = tf.ones([1, 4, 4, 1])
FILTER = tf.ones([2, 2, 1, 1])


def exception(run):
    """The type of the exception that a compiled function raises."""
    with pytest.raises(Exception) as caught:
        tf.function(run)()
    return caught.type


@pytest.mark.parametrize(
    "run",
    [
        lambda: tf.ones([2]) + tf.constant(1),
        lambda: tf.math.bessel_i0(tf.constant(1)),
        lambda: tf.reshape(tf.ones([2]), [1.5]),
        lambda: tf.gather(tf.ones([2]), [0.5]),
        lambda: tf.one_hot([0.5], 3),
        lambda: tf.math.in_top_k([0.5], tf.ones([1, 2]), 1),
        lambda: tf.constant([1, "a"]),
    ],
)
def test_errors_of_dtypes(run):
    assert exception(run) is TypeError


@pytest.mark.parametrize(
    "run",
    [
        lambda: tf.nn.max_pool2d(IMAGE, 2, 1, "nonsense"),
        lambda: tf.nn.conv2d(IMAGE, FILTER, 1, "SAME", data_format="nonsense"),
        lambda: tf.nn.conv2d(IMAGE, FILTER, -1, "SAME"),
        lambda: tf.nn.conv2d(IMAGE, FILTER, 1, "SAME", dilations=-1),
        lambda: tf.linalg.diag_part(tf.ones([2, 2]), k=(0, 1), align="nonsense"),
        lambda: tf.split(tf.ones([2]), -1),
        lambda: tf.raw_ops.QuantizeV2(
            input=tf.ones([2]), min_range=0.0, max_range=1.0, T=tf.quint8, mode="nonsense"
        ),
        lambda: tf.raw_ops.AddN(inputs=[]),
    ],
)
def test_errors_of_attributes(run):
    assert exception(run) is ValueError
