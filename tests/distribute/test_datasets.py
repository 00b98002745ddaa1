"""Data sets that are divided among replicas."""

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.graph import devices

D = tf.distribute


@pytest.fixture(autouse=True)
def _four_processors(monkeypatch):
    monkeypatch.setattr(devices, "asked", [4])


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
