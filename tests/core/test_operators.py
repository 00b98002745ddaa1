"""The methods that operations give to tensors and variables."""

import copy
import pickle

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.core.operators import (
    Operators,
    TensorMethods,
    VariableMethods,
    register_method,
)


@pytest.mark.parametrize("owner", [Operators, VariableMethods])
def test_all_that_is_declared_is_registered(owner):
    assert tf.distribute.get_strategy()  # loads what gives a variable its `__new__`
    assert not set(owner.__annotations__) - set(vars(owner))


def test_a_name_that_is_not_declared_is_refused():
    with pytest.raises(AttributeError, match="Operators declares no method '__matmull__'"):
        register_method(Operators, "__matmull__", lambda x, y: x)
    assert not hasattr(tf.Tensor, "__matmull__")


def test_a_class_is_given_only_what_it_declares_itself():
    with pytest.raises(AttributeError, match="TensorMethods declares no method 'scatter_add'"):
        register_method(TensorMethods, "scatter_add", lambda x: x)
    assert not hasattr(tf.Tensor, "scatter_add")


def test_a_registered_operator_replaces_the_earlier_one():
    before = Operators.__invert__
    x = tf.constant([True, False])
    try:
        register_method(Operators, "__invert__", lambda self: "another")
        assert ~x == "another"
    finally:
        register_method(Operators, "__invert__", before)
    np.testing.assert_array_equal(~x, [False, True])


def test_tensors_have_the_names_of_their_operators():
    assert {"__add__", "__rmatmul__", "__getitem__", "__eq__"} <= tf.Tensor.OVERLOADABLE_OPERATORS
    assert "__hash__" not in tf.Tensor.OVERLOADABLE_OPERATORS


@pytest.mark.parametrize("value", [[1.0, 2.0], 3, [b"a", b"bc"], True])
def test_tensors_survive_pickling_and_copying(value):
    x = tf.constant(value)
    for again in (pickle.loads(pickle.dumps(x)), copy.copy(x), copy.deepcopy(x)):
        assert again.dtype is x.dtype
        np.testing.assert_array_equal(again.numpy(), x.numpy())


def test_a_tensor_as_bytes():
    assert bytes(tf.constant([1, 2])) == np.array([1, 2], np.int32).tobytes()
