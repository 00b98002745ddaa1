"""Iteration in a `tf.function` is a part of the graph: traced once, in the program's order."""

from __future__ import annotations

import numpy as np
import pytest
from dataset_checks import total

import gradtape as tf
from gradtape.data import Dataset


@pytest.fixture
def numbers():
    return Dataset.range(5).map(lambda x: tf.cast(x, tf.float32))


@pytest.mark.parametrize("rows", [6, 7, 9])
def test_an_epoch_of_training_in_one_function(rows):
    """The last batch has 2, 3 or 1 rows; the last one makes a length that was not foreseen."""
    traces = []
    v, w = tf.Variable(1.0), tf.Variable(1.0)
    steps = tf.Variable(0)

    def step(v, x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((x * v - y) ** 2)
        v.assign_sub(0.01 * tape.gradient(loss, v))
        return loss

    @tf.function
    def epoch(ds):
        traces.append(None)
        steps.assign_add(1)
        found = 0.0
        for x, y in ds:
            found += step(v, x, y)
        return found

    x = np.arange(rows, dtype=np.float32)
    ds = Dataset.from_tensor_slices((x, 3 * x)).batch(4)
    for _ in range(3):
        wanted = sum(step(w, a, b) for a, b in ds)
        np.testing.assert_allclose(epoch(ds), wanted, rtol=1e-6)
        np.testing.assert_allclose(v.numpy(), w.numpy(), rtol=1e-6)
    assert int(steps) == 3
    if rows != 9:
        assert len(traces) == 1


def test_break_continue_enumerate_and_zip(numbers):
    @tf.function
    def f(ds):
        found, places = 0.0, tf.constant(0, tf.int64)
        for i, (x, y) in enumerate(zip(ds, ds, strict=False)):
            if x == 1.0:
                continue
            if x > 3.0:
                break
            found += x * y
            places += i
        return found, places

    assert [float(x) for x in f(numbers)] == [13, 5]


def test_reduce_may_change_shapes(numbers):
    @tf.function
    def f(ds):
        return ds.reduce(tf.zeros([0]), lambda state, x: tf.concat([state, [x]], 0))

    assert f(numbers).numpy().tolist() == [0, 1, 2, 3, 4]
    assert float(tf.function(lambda ds: ds.reduce(0.0, lambda s, x: s + x))(numbers)) == 10
    with pytest.raises(TypeError, match="new state"):
        tf.function(lambda ds: ds.reduce(0.0, lambda s, x: 1))(numbers)


def test_an_iterator_is_used_up_by_runs(numbers):
    traces = []

    @tf.function
    def f(it):
        traces.append(None)
        return next(it) + 10.0 * next(it)

    it = iter(numbers)
    assert [float(f(it)), float(f(it))] == [10, 32]
    with pytest.raises(tf.errors.OutOfRangeError):
        f(it)
    assert len(traces) == 1
    assert next(it, None) is None


def test_an_iterator_that_is_captured_or_made_inside(numbers):
    it = iter(numbers)

    @tf.function
    def captured():
        return next(it)

    @tf.function
    def made(ds):
        own = iter(ds)
        return next(own) + next(own)

    assert [float(captured()), float(captured()), float(next(it))] == [0, 1, 2]
    assert [float(made(numbers)), float(made(numbers))] == [1, 1]


def test_a_loop_over_an_iterator_leaves_it_at_its_end(numbers):
    f = tf.function(total)
    it = iter(numbers)
    assert [float(f(it)), float(f(it))] == [10, 0]


def test_gradients_don_t_take_elements_again(numbers):
    def f(w, it):
        found = tf.constant(0.0)
        for _ in tf.range(2):
            found += next(it) * w
        return found

    inside = tf.function(lambda w, it: gradient(f, w, it))
    outside = tf.function(f)
    it = iter(numbers.repeat())
    w = tf.constant(2.0)
    assert [float(inside(w, it)) for _ in range(2)] == [1, 5]
    assert float(next(it)) == 4
    assert [float(gradient(outside, w, it)) for _ in range(3)] == [1, 5, 4]
    assert float(next(it)) == 1


def gradient(function, w, *args):
    with tf.GradientTape() as tape:
        tape.watch(w)
        y = function(w, *args)
    return tape.gradient(y, w)


def test_gradients_through_a_loop(numbers):
    f = tf.function(lambda w, ds: ds.reduce(tf.constant(1.0), lambda s, x: s + x * w * s))
    w = tf.constant(0.5)
    wanted = gradient(lambda w: (1 + w) * (1 + 2 * w) * (1 + 3 * w) * (1 + 4 * w), w)
    for _ in range(3):
        np.testing.assert_allclose(gradient(f, w, numbers), wanted, rtol=1e-5)


def test_windows_and_nested_loops(numbers):
    @tf.function
    def f(ds):
        found = 0.0
        for _ in tf.range(2):
            for window in ds.window(2):
                for x in window:
                    found += x
        return found

    assert float(f(numbers)) == 20


def test_the_number_of_elements(numbers):
    f = tf.function(lambda ds: ds.cardinality())
    assert [int(f(numbers)), int(f(numbers.take(2))), int(f(numbers.filter(lambda x: True)))] == [
        5,
        2,
        -2,
    ]


@pytest.mark.parametrize("call", [tf.py_function, tf.numpy_function])
def test_a_loop_over_elements_of_unknown_rank(call):
    dataset = tf.data.Dataset.range(4).map(lambda i: call(lambda x: x * 2, [i], tf.int64))

    @tf.function
    def total():
        t = tf.constant(0, tf.int64)
        for x in dataset:
            t += tf.reduce_sum(x)
        return t

    assert total().numpy() == 12


def test_sparse_elements_keep_the_lengths_that_are_known():
    rows = tf.data.Dataset.from_tensor_slices(tf.sparse.from_dense([[1, 0, 2], [0, 3, 0]]))
    for dataset, shape in ((rows, [3]), (rows.batch(2), [None, 3])):
        for step in (
            dataset.map(lambda x: x),
            dataset.flat_map(tf.data.Dataset.from_tensors),
            dataset.scan(0, lambda state, x: (state, x)),
        ):
            assert step.element_spec == tf.SparseTensorSpec(shape, tf.int32)
    dense = rows.batch(2).map(tf.sparse.to_dense)
    assert next(iter(dense)).numpy().tolist() == [[1, 0, 2], [0, 3, 0]]
