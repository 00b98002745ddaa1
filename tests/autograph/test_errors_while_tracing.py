"""The errors during tracing that replace those of kernels."""

import pytest

import gradtape as tf
from gradtape._src.autograph.errors_while_tracing import is_of_shapes, while_tracing

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
