"""Replicas that run in lockstep."""

import threading

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.graph import devices

D = tf.distribute
NONE, SUM, MEAN, FIRST = tf.VariableAggregation


@pytest.fixture(autouse=True)
def _four_processors(monkeypatch):
    monkeypatch.setattr(devices, "asked", [4])


@pytest.fixture
def pair():
    return D.MirroredStrategy(["CPU:0", "CPU:1"])


def number():
    return tf.cast(D.get_replica_context().replica_id_in_sync_group + 1, tf.float32)


def parts(strategy, value):
    return [np.asarray(x).tolist() for x in strategy.experimental_local_results(value)]


def test_merge_call(pair):
    def replica():
        def merged(strategy, x, scale):
            assert D.in_cross_replica_context()
            return strategy.reduce("SUM", x, axis=None) * scale, x

        return D.get_replica_context().merge_call(merged, args=(number(),), kwargs={"scale": 2.0})

    total, mine = pair.run(replica)
    assert float(total) == 6
    assert parts(pair, mine) == [1, 2]


def test_faults_of_replicas(pair):
    first = threading.active_count()

    def uneven():
        c = D.get_replica_context()
        return c.all_reduce("SUM", 1.0) if c.replica_id_in_sync_group == 0 else tf.constant(1.0)

    def late():
        c = D.get_replica_context()
        x = c.all_reduce("SUM", number())
        if c.replica_id_in_sync_group == 1:
            raise KeyError("late")
        return c.all_reduce("SUM", x)

    shapes = lambda: D.get_replica_context().all_reduce("SUM", tf.ones([int(number())]))  # noqa: E731
    for function, error in (
        (uneven, RuntimeError),
        (late, KeyError),
        (shapes, tf.errors.InvalidArgumentError),
        (lambda: pair.run(number), RuntimeError),
        (lambda: D.get_replica_context().all_reduce("MAX", 1.0), ValueError),
        (
            lambda: D.get_replica_context().all_reduce("SUM", tf.constant("a")),
            tf.errors.InvalidArgumentError,
        ),
    ):
        with pytest.raises(error):
            pair.run(function)
    assert threading.active_count() == first
    with pair.scope(), pytest.raises(RuntimeError, match="Mixing"), D.MirroredStrategy().scope():
        pass
