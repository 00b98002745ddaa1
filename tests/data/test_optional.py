"""Optionals, made in eager execution and in graphs."""

from __future__ import annotations

import pytest

import gradtape as tf
from gradtape.data import Dataset


def test_a_value_or_its_absence():
    some = tf.experimental.Optional.from_value((tf.constant(2), tf.constant([1.0, 2.0])))
    none = tf.experimental.Optional.empty(tf.TensorSpec([], tf.int32))
    assert [bool(some.has_value()), bool(none.has_value())] == [True, False]
    assert some.element_spec == (tf.TensorSpec([], tf.int32), tf.TensorSpec([2], tf.float32))
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not have a value"):
        none.get_value()


def test_a_function_asks_an_iterator_for_one():
    @tf.function
    def f(it):
        following = it.get_next_as_optional()
        return following.get_value() if following.has_value() else tf.constant(-1, tf.int64)

    it = iter(Dataset.range(5, 6))
    assert [int(f(it)), int(f(it))] == [5, -1]


def test_functions_return_optionals():
    steps = tf.data.Dataset.from_tensor_slices(tf.constant([1.0, 2.0]))

    @tf.function
    def held(iterator):
        return tf.experimental.Optional.from_value({"a": next(iterator) * 2.0})

    iterator = iter(steps)
    assert [held(iterator).get_value()["a"].numpy() for _ in range(2)] == [2.0, 4.0]

    @tf.function
    def taken(iterator):
        return iterator.get_next_as_optional()

    iterator = iter(steps)
    found = [taken(iterator) for _ in range(3)]
    assert [bool(o.has_value()) for o in found] == [True, True, False]
    assert [o.get_value().numpy() for o in found[:2]] == [1.0, 2.0]
    assert "as Python" not in taken.explain() + held.explain()
