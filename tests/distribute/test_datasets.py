"""Datasets that are divided among replicas."""

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.graph import devices

D = tf.distribute


@pytest.fixture(autouse=True)
def _four_processors(monkeypatch):
    monkeypatch.setattr(devices, "requested_processors", [4])


@pytest.fixture
def pair():
    return D.MirroredStrategy(["CPU:0", "CPU:1"])


def parts(strategy, value):
    return [np.asarray(x).tolist() for x in strategy.experimental_local_results(value)]


@pytest.mark.parametrize(
    ("length", "size", "drop", "batches"),
    [  # as TensorFlow divides them
        (7, 4, False, [[[0, 1], [2, 3], []], [[4], [5], [6]]]),
        (13, 7, False, [[[0, 1, 2], [3, 4, 5], [6]], [[7, 8], [9, 10], [11, 12]]]),
        (13, 6, True, [[[0, 1], [2, 3], [4, 5]], [[6, 7], [8, 9], [10, 11]]]),
    ],
)
def test_batches_are_divided(length, size, drop, batches):
    strategy = D.MirroredStrategy(["CPU:0", "CPU:1", "CPU:2"])
    dataset = tf.data.Dataset.range(length).batch(size, drop_remainder=drop)
    divided = strategy.experimental_distribute_dataset(dataset)
    assert isinstance(divided, D.DistributedDataset)
    assert [parts(strategy, x) for x in divided] == batches
    iterator = iter(divided)
    assert isinstance(iterator, D.DistributedIterator)
    for batch in batches:
        assert parts(strategy, iterator.get_next_as_optional().get_value()) == batch
    with pytest.raises(tf.errors.OutOfRangeError):
        iterator.get_next()
    assert divided.element_spec.is_compatible_with(next(iter(divided)))


def test_batches_from_a_function(pair):
    def make(context):
        size = context.get_per_replica_batch_size(4)
        return tf.data.Dataset.range(6).batch(size)

    divided = pair.distribute_datasets_from_function(make)
    assert [parts(pair, x) for x in divided] == [[[0, 1], [2, 3]], [[4, 5], []]]
    with pytest.raises(ValueError, match="batched"):
        list(pair.experimental_distribute_dataset(tf.data.Dataset.range(3)))
    with pytest.raises(TypeError, match="Dataset"):
        pair.experimental_distribute_dataset([1])


def total(strategy, x):
    return strategy.reduce("SUM", strategy.run(tf.reduce_sum, args=(x,)), axis=None)


def test_a_function_is_traced_once_for_uneven_batches(pair):
    traces = []

    @tf.function
    def epoch(dataset):
        traces.append(1)
        found = tf.constant(0, tf.int64)
        for x in dataset:
            found += total(pair, x)
        return found

    for n in (6, 7, 9):
        divided = pair.experimental_distribute_dataset(tf.data.Dataset.range(n).batch(4))
        assert epoch(divided) == sum(range(n))
    assert len(traces) == 1


def test_an_iterator_is_made_in_a_function(pair):
    divided = pair.experimental_distribute_dataset(tf.data.Dataset.range(8).batch(4))

    @tf.function
    def f():
        iterator = iter(divided)
        return total(pair, next(iterator)), total(pair, iterator.get_next())

    for _ in range(2):
        assert [int(x) for x in f()] == [6, 22]
    assert "ran as Python" not in f.explain()


def test_a_data_set_is_divided_in_a_function(pair):
    @tf.function
    def f(rows):
        found = 0
        batches = tf.data.Dataset.from_tensor_slices(rows).batch(4)
        for x in pair.experimental_distribute_dataset(batches):
            found += total(pair, x)
        return found

    for n in (3, 8):
        assert f(tf.range(n, n + 7)) == sum(range(n, n + 7))
    assert f.experimental_get_tracing_count() == 1


def test_the_mean_of_uneven_parts(pair):
    divided = pair.experimental_distribute_dataset(tf.data.Dataset.range(7).batch(4))

    @tf.function
    def mean(iterator):
        out = pair.run(lambda x: tf.cast(x, tf.float32), args=(next(iterator),))
        return pair.reduce("MEAN", out, axis=0)

    iterator = iter(divided)
    assert [float(mean(iterator)) for _ in range(2)] == [1.5, 5.0]


def test_parts_of_ragged_batches(pair):
    ragged = tf.ragged.constant([[1], [2, 3], [], [4, 5, 6]])
    batches = tf.data.Dataset.from_tensor_slices(ragged).batch(4)
    (x,) = pair.experimental_distribute_dataset(batches)
    assert [part.to_list() for part in x.values] == [[[1], [2, 3]], [[], [4, 5, 6]]]
