"""Datasets as arguments and results of a `tf.function`."""

from __future__ import annotations

import pytest
from dataset_checks import total

import gradtape as tf
from gradtape.data import Dataset


@pytest.fixture
def numbers():
    return Dataset.range(5).map(lambda x: tf.cast(x, tf.float32))


def test_a_function_returns_a_dataset(numbers):
    traces = []

    @tf.function
    def f(ds, k):
        traces.append(None)
        return {"scaled": ds.map(lambda x: x * k), "rest": ds.skip(3)}

    two, three = f(numbers, tf.constant(2.0)), f(numbers, tf.constant(3.0))
    assert [float(x) for x in two["scaled"]] == [0, 2, 4, 6, 8]
    assert [float(x) for x in three["scaled"]] == [0, 3, 6, 9, 12]
    assert [float(x) for x in two["rest"]] == [3, 4]
    assert two["scaled"].element_spec == tf.TensorSpec([], tf.float32)
    assert len(traces) == 1


def test_functions_that_call_functions_with_datasets(numbers):
    @tf.function
    def inner(ds):
        found = 0.0
        for x in ds:
            found += x
        return found

    @tf.function
    def outer(ds):
        return inner(ds) + inner(ds.map(lambda x: x + 1))

    assert float(outer(numbers)) == 25


def test_a_signature_of_a_dataset(numbers):
    spec = tf.data.DatasetSpec(tf.TensorSpec([], tf.float32))
    f = tf.function(total, input_signature=[spec])
    assert float(f(numbers)) == 10
    assert float(f.get_concrete_function()(numbers)) == 10
    with pytest.raises(TypeError, match="Can not cast"):
        f(Dataset.range(2))


def test_a_compiled_function_refuses(numbers):
    with pytest.raises(tf.errors.UnimplementedError, match="dataset"):
        tf.function(total, jit_compile=True)(numbers)


def test_a_loop_is_traced_once_for_all_datasets_of_a_spec(numbers):
    traces = []

    @tf.function
    def f(ds):
        traces.append(None)
        found = 0.0
        for x in ds:
            found += x
        return found

    assert [float(f(numbers)), float(f(numbers.take(2))), float(f(numbers.skip(3)))] == [10, 1, 7]
    assert len(traces) == 1
    f(numbers.batch(2).map(tf.reduce_sum).map(lambda x: tf.ensure_shape(x, [])))
    assert len(traces) == 1
