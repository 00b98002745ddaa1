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
