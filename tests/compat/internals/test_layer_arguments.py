"""Predicates of layers of TensorFlow 1."""

import pytest

import gradtape as tf
from gradtape._src.compat.internals.layer_arguments import constant_value, smart_cond


@pytest.mark.parametrize(
    ("pred", "expected"), [(True, 1), (0, 2), (tf.constant(False), 2), (tf.Variable(True), 1)]
)
def test_the_function_is_chosen(pred, expected):
    assert int(smart_cond(pred, lambda: tf.constant(1), lambda: tf.constant(2))) == expected


def test_a_variable_is_read_by_each_run():
    training = tf.Variable(True)
    run = tf.function(lambda: smart_cond(training, lambda: 1.0, lambda: 2.0))
    first = float(run())
    training.assign(False)
    assert (first, float(run())) == (1, 2)


def test_constant_values():
    assert constant_value(tf.constant(True))
    assert constant_value(0) is False
    assert constant_value(tf.Variable(True)) is None
    for wrong in ("x", 3, None):
        with pytest.raises(TypeError, match="must be a Tensor, or a Python bool"):
            constant_value(wrong)
    with pytest.raises(TypeError, match="must be callable"):
        smart_cond(True, 1, 2)
