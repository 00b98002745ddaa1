"""The classes of tensors that libraries ask for, in and out of traced functions."""

import functools

import gradtape as tf
from gradtape._src.compat.python.framework_ops import EagerTensor, SymbolicTensor


def test_a_tensor_is_eager_or_symbolic():
    found = []

    @tf.function
    def traced(x):
        found.append([isinstance(x, kind) for kind in (EagerTensor, SymbolicTensor, tf.Tensor)])
        return x

    x = traced(tf.constant([1.0]))
    found.append([isinstance(x, kind) for kind in (EagerTensor, SymbolicTensor, tf.Tensor)])
    assert found == [[False, True, True], [True, False, True]]
    assert not isinstance(tf.Variable(1.0), (EagerTensor, SymbolicTensor))


def test_functions_are_registered_by_the_class():
    dispatched = functools.singledispatch(lambda x: "other")
    dispatched.register(EagerTensor)(lambda x: "tensor")
    assert dispatched(tf.constant(1.0)) == "tensor"
    assert dispatched(1.0) == "other"
    assert type(tf.constant(1.0)) == EagerTensor  # noqa: E721 (as libraries ask)
    assert type(tf.constant(1.0)) != SymbolicTensor  # noqa: E721
