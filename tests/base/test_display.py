"""The printed forms of tensors and variables, and references to them."""

import weakref

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.base import display


def test_a_reference_is_of_one_object():
    x, y = tf.constant(1.0), tf.constant(1.0)
    assert x.ref() == x.ref()
    assert x.ref() != y.ref()
    with pytest.raises(TypeError, match="unwrapped"):
        assert x.ref() != x
    assert {x.ref(): 3}[x.ref()] == 3
    assert x.ref().deref() is x


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (1.5, "<tf.Tensor: shape=(), dtype=float32, numpy=1.5>"),
        ([1, 2], "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>"),
        ("a", "<tf.Tensor: shape=(), dtype=string, numpy=b'a'>"),
        ([[1.0]], "<tf.Tensor: shape=(1, 1), dtype=float32, numpy=array([[1.]], dtype=float32)>"),
    ],
)
def test_representations(value, shown):
    assert repr(tf.constant(value)) == shown


def test_text_and_format():
    x = tf.constant([1, 2])
    assert str(x) == "tf.Tensor([1 2], shape=(2,), dtype=int32)"
    assert f"{tf.constant(2.5):.2f}" == "2.50"
    assert display.printed(np.array([1.0, 2.0])) == "[1. 2.]"


def test_the_error_of_an_ambiguous_truth_value():
    error = display.ambiguous((2, 3))
    assert isinstance(error, ValueError)
    assert "truth value" in str(error)
    with pytest.raises(ValueError, match="truth value"):
        bool(tf.constant([1, 2]))


@pytest.mark.parametrize("name", ["astype", "T", "reshape", "nonsense"])
def test_attributes_that_a_tensor_lacks(name):
    with pytest.raises(AttributeError, match=name):
        getattr(tf.constant([1.0]), name)


def test_consumers_of_a_tensor_that_has_a_value():
    with pytest.raises(NotImplementedError, match="eager"):
        tf.constant(1).consumers()


def test_references_are_keys_of_every_kind_of_dictionary():
    x, y = tf.constant(1.0), tf.constant(1.0)
    reference = x.ref()
    weak = weakref.WeakKeyDictionary({reference: 1})
    assert weak[x.ref()] == 1
    assert tf.nest.map_structure(lambda n: n + 1, {reference: 1, y.ref(): 2}) == {
        x.ref(): 2,
        y.ref(): 3,
    }
    assert (x.ref() < y.ref()) is not (y.ref() < x.ref())
    assert not x.ref() < x.ref()
    assert not x.ref() > x.ref()
    with pytest.raises(TypeError, match="no order"):
        x.ref() < x  # noqa: B015
