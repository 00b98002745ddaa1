"""Values of graphs and gradients, as libraries ask for them inside of TensorFlow."""

import inspect

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.compat.decorator import make_decorator
from gradtape._src.compat.python import control_flow, framework
from gradtape._src.compat.python.array_ops import prevent_gradient
from gradtape._src.compat.python.tf_inspect import getargspec, getcallargs, getfullargspec


def test_pfor_and_values():
    x = tf.constant([1.0, 2.0, 3.0])
    np.testing.assert_array_equal(control_flow.pfor(lambda i: tf.gather(x, i) ** 2, 3), [1, 4, 9])
    assert framework.constant_value_as_shape(tf.constant([1, -1])).as_list() == [1, None]
    v = tf.Variable(2.0)
    assert isinstance(framework.convert_variables_to_tensors([v, 1])[0], tf.Tensor)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = prevent_gradient(x, message="not here")
    with pytest.raises(LookupError, match="not here"):
        tape.gradient(y, x)
    assert getargspec(lambda a, b=2, *c, d=3: 0) == (["a", "b", "d"], "c", None, (2, 3))
    assert getargspec(tf.sin)[1:] == (None, None, (None,))
    assert getfullargspec(tf.reduce_sum).args == ["input_tensor", "axis", "keepdims", "name"]


def test_arguments_of_calls_and_of_decorated_functions():
    def f(self, a, b=2, *, c=3):
        return a + b + c

    assert getcallargs(f, 0, 1, c=5) == {"self": 0, "a": 1, "b": 2, "c": 5}
    assert getcallargs(f, 0, a=1, other=6)["other"] == 6
    scope = tf.Module().name_scope
    assert getcallargs(scope.__enter__) == {"self": scope}

    def decorated(*args, **kwargs):
        return f(*args, **kwargs)

    made = make_decorator(f, decorated)
    assert inspect.getfullargspec(made).args == ["self", "a", "b"]
    assert inspect.signature(made) == inspect.signature(f)
    assert made(0, 1) == 6


def test_shapes_from_values_of_graphs():
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32, [None, 3])
        lengths = tf.compat.v1.placeholder(tf.int32, [2])
        assert framework.constant_value_as_shape(tf.shape(x)).as_list() == [None, 3]
        assert framework.constant_value_as_shape(lengths).as_list() == [None, None]
