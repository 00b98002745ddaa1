"""Datasets that are made of tensors of a graph."""

from __future__ import annotations

import pytest

import gradtape as tf
from gradtape.data import Dataset


@pytest.fixture
def numbers():
    return Dataset.range(5).map(lambda x: tf.cast(x, tf.float32))


def test_datasets_that_are_made_in_a_function(numbers):
    traces = []

    @tf.function
    def f(ds, k):
        traces.append(None)
        found = 0.0
        for x in ds.map(lambda x: x * k).batch(2):
            found += tf.reduce_sum(x)
        for row in Dataset.from_tensor_slices(tf.stack([k, k + 1])).batch(2):
            found += tf.reduce_prod(row)
        return found

    assert [float(f(numbers, tf.constant(k))) for k in (2.0, 3.0)] == [26, 42]
    assert len(traces) == 1


def test_prefetching_and_parallel_maps_know_the_values_of_the_call(numbers):
    @tf.function
    def f(ds, k):
        found = 0.0
        for x in ds.map(lambda x: x * k, num_parallel_calls=2).prefetch(2):
            found += x
        return found

    assert [float(f(numbers, tf.constant(k))) for k in (1.0, 2.0)] == [10, 20]


def test_what_a_flat_map_makes_is_traced_once():
    calls = []

    def make(x):
        calls.append(None)
        return Dataset.from_tensors(x).repeat(2)

    assert [int(x) for x in Dataset.range(3).flat_map(make)] == [0, 0, 1, 1, 2, 2]
    assert len(calls) == 1


def test_numbers_of_elements_that_a_run_tells():
    traces = []

    @tf.function
    def total(n):
        traces.append(n)
        some = tf.data.Dataset.range(n).skip(n - 3).take(n - 2)
        return some.reduce(tf.constant(0, tf.int64), lambda s, x: s + x)

    assert [int(total(tf.constant(n, tf.int64))) for n in (4, 6)] == [1 + 2, 3 + 4 + 5]
    assert len(traces) == 1
