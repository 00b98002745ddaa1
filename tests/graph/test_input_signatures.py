"""Signatures that a program gives to a function."""

import numpy as np
import pytest

import gradtape as tf


@pytest.mark.parametrize(
    ("args", "kwargs", "why"),
    [
        ((1.0,), {}, "Can not cast"),
        ((tf.TensorSpec([3], tf.float64),), {}, None),
        ((), {}, "missing a required argument: 'x'"),
        (([1.0], [2.0]), {}, "too many positional arguments"),
        (([1.0],), {"x": [1.0]}, "multiple values"),
        ((), {"x": [1.0], "y": 2}, "unexpected keyword argument 'y'"),
        (("a",), {}, "Cannot convert 'a'"),
    ],
)
def test_an_input_signature_is_checked(args, kwargs, why):
    f = tf.function(lambda x: x, input_signature=[tf.TensorSpec([None], tf.float32)])
    with pytest.raises(TypeError, match=why):
        f(*args, **kwargs)


def test_an_input_signature_converts():
    f = tf.function(lambda x: x * 2, input_signature=(tf.TensorSpec([None], tf.float32),))
    assert f(np.ones(2)).dtype is tf.float32  # an array of float64
    assert f(x=[1, 2]).numpy().tolist() == [2, 4]
    with pytest.raises(TypeError, match="Can not cast"):
        f(tf.constant([1.0], tf.float64))


@pytest.mark.parametrize("signature", [[3], tf.TensorSpec([]), "x"])
def test_a_signature_that_is_none(signature):
    with pytest.raises(TypeError, match="input_signature must be"):
        tf.function(lambda x: x, input_signature=signature)


@pytest.mark.parametrize(
    ("function", "count", "why"),
    [
        (lambda x: x, 0, "missing type constraint for x"),
        (lambda x, y: x + y, 1, "missing type constraint for y"),
        (lambda x: x, 3, "contains 2 extra type constraints"),
        (lambda x=1.0: x, 2, "contains 1 extra"),
        (lambda **named: named, 1, "contains 1 extra"),
        (lambda *, x: x, 1, "keyword-only parameter `x` must have a default"),
    ],
)
def test_each_parameter_needs_a_spec(function, count, why):
    with pytest.raises(TypeError, match=why):
        tf.function(function, input_signature=[tf.TensorSpec([])] * count)


def test_parameters_that_need_no_spec():
    spec = tf.TensorSpec([])
    assert tf.function(lambda *xs: sum(xs), input_signature=[spec] * 3)(1.0, 2.0, 3.0) == 6
    assert tf.function(lambda x, y=2.0, *, z=3.0: x + y + z, input_signature=[spec])(1.0) == 6
    assert tf.function(lambda **named: len(named), input_signature=[])() == 0

    class Doubled:
        @tf.function(input_signature=[spec])
        def of(self, x):
            return 2 * x

    assert Doubled().of(2.0) == 4
