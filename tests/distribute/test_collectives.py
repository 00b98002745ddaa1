"""Sums and collections over all replicas, and their gradients."""

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.compute import devices

D = tf.distribute
NONE, SUM, MEAN, FIRST = tf.VariableAggregation


@pytest.fixture(autouse=True)
def _four_processors(monkeypatch):
    monkeypatch.setattr(devices, "requested_processors", [4])


@pytest.fixture
def pair():
    return D.MirroredStrategy(["CPU:0", "CPU:1"])


def number():
    return tf.cast(D.get_replica_context().replica_id_in_sync_group + 1, tf.float32)


def parts(strategy, value):
    return [np.asarray(x).tolist() for x in strategy.experimental_local_results(value)]


@pytest.mark.parametrize(
    ("op", "y", "gradients"), [("SUM", 5, [11, 17]), ("MEAN", 2.5, [5.5, 8.5])]
)
def test_all_reduce_in_the_middle_and_its_gradient(pair, op, y, gradients):
    def replica():
        x = number()
        with tf.GradientTape() as tape:
            tape.watch(x)
            total = D.get_replica_context().all_reduce(op, x * x)
            z = total * x
        return total, tape.gradient(z, x)

    total, gradient = pair.run(replica)
    assert parts(pair, total) == [y, y]
    assert parts(pair, gradient) == gradients


def test_all_gather_of_uneven_lengths_and_its_gradient(pair):
    def replica():
        c, n = D.get_replica_context(), number()
        x = tf.fill([c.replica_id_in_sync_group + 1], n)
        with tf.GradientTape() as tape:
            tape.watch(x)
            everything = c.all_gather(x * x, 0)
            z = tf.reduce_sum(everything * everything) * n
        return everything, tape.gradient(z, x)

    everything, gradient = pair.run(replica)
    assert parts(pair, everything) == [[1, 4, 4]] * 2
    assert parts(pair, gradient) == [[12], [96, 96]]  # 3 · 2x² · 2x


def test_sparse_and_whole_numbers(pair):
    def replica():
        i = D.get_replica_context().replica_id_in_sync_group
        rows = tf.IndexedSlices(tf.ones([1, 2]) * number(), [i], [3, 2])
        c = D.get_replica_context()
        return tf.convert_to_tensor(c.all_reduce("MEAN", rows)), c.all_reduce("MEAN", i + 3)

    dense, mean = pair.run(replica)
    assert parts(pair, dense) == [[[0.5, 0.5], [1, 1], [0, 0]]] * 2
    assert parts(pair, mean) == [3.5, 3.5]


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function])
def test_a_tensor_that_the_replicas_have_in_common_counts_once(pair, wrap):
    x, rows = tf.constant(3.0), tf.constant([1.0, 2.0])  # as TensorFlow does on one machine
    slices = tf.IndexedSlices(rows[None], tf.constant([0]), tf.constant([2, 2]))

    def replica():
        c = D.get_replica_context()
        total, other = c.all_reduce("SUM", [x, x * 1.0])
        sliced = tf.convert_to_tensor(c.all_reduce("SUM", slices))
        return total, other, c.all_reduce("MEAN", x), c.all_gather(rows, 0), sliced

    found = [parts(pair, each) for each in wrap(lambda: pair.run(replica))()]
    assert found == [[3, 3], [6, 6], [3, 3], [[1, 2]] * 2, [[[1, 2], [0, 0]]] * 2]


def test_the_gradient_of_a_common_tensor_is_the_sum_over_replicas(pair):
    x = tf.constant(3.0)

    def replica():
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = D.get_replica_context().all_reduce("SUM", x)
        return y, tape.gradient(y, x)

    assert [parts(pair, each) for each in pair.run(replica)] == [[3, 3], [2, 2]]
