"""Replicas that run in lockstep."""

import threading

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.compute import devices
from gradtape._src.distribute import lockstep

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
    before = threading.enumerate()  # those of other tests may end at any time

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
    assert [t for t in threading.enumerate() if t not in before] == []
    with pair.scope(), pytest.raises(RuntimeError, match="Mixing"), D.MirroredStrategy().scope():
        pass


def test_replicas_in_a_function_are_traced_once(pair):
    with pair.scope():
        v = tf.Variable(1.0)
    traced = []

    @tf.function
    def step(x):
        def replica(y):
            traced.append(y)
            v.assign_add(y)
            return v * number()

        return pair.run(replica, args=(x,))

    for k in range(3):
        assert parts(pair, step(tf.constant(1.0))) == [2.0 + k, 2 * (2.0 + k)]
    assert len(traced) == 2
    assert step.experimental_get_tracing_count() == 1


def test_a_function_given_to_run_is_traced_once(pair):
    traced = []

    @tf.function
    def replica(x):
        traced.append(x)
        return D.get_replica_context().all_reduce("SUM", x * number())

    for x in (1.0, 2.0):
        assert parts(pair, pair.run(replica, args=(tf.constant(x),))) == [3 * x, 3 * x]
    assert len(traced) == 2


def test_a_variable_that_begins_to_differ_is_read_by_replica(pair):
    with pair.scope():
        v = tf.Variable(1.0, aggregation=tf.VariableAggregation.SUM)

    @tf.function
    def step():
        return pair.run(lambda: v * 1.0)

    assert parts(pair, step()) == [1.0, 1.0]
    v.values[1].assign(5.0)
    assert parts(pair, step()) == [1.0, 5.0]
    v.assign(2.0)
    assert parts(pair, step()) == [2.0, 2.0]


def test_an_error_while_replicas_are_traced_leaves_variables_as_they_were(pair):
    with pair.scope():
        v = tf.Variable(1.0)

    @tf.function
    def step():
        def replica():
            v.assign(3.0)
            if D.get_replica_context().local:
                raise ValueError("of the second replica")
            return D.get_replica_context().all_reduce("SUM", v * 1.0)

        return pair.run(replica)

    with pytest.raises(ValueError, match="of the second replica"):
        step()
    assert v.numpy() == 1.0
    v.assign_add(1.0)
    assert v.numpy() == 2.0


def test_a_write_of_another_thread_while_replicas_are_traced_is_kept(pair):
    with pair.scope():
        v = tf.Variable(1.0)
    outside = tf.Variable(0.0)

    class Intruder:
        """Writes from another thread at the moment when one replica hands over to the next."""

        def __init__(self, give):
            self.give, self.left = give, 1

        def __call__(self):
            take = self.give()
            if self.left:
                self.left = 0
                thread = threading.Thread(target=lambda: outside.assign(7.0))
                thread.start()
                thread.join()
            return take

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lockstep, "give_lock", Intruder(lockstep.give_lock))

        @tf.function
        def step(x):
            def replica(y):
                v.assign_add(y)
                return v + 0.0

            return pair.run(replica, args=(x,))

        assert parts(pair, step(tf.constant(1.0))) == [2.0, 2.0]
    assert (outside.numpy(), v.numpy()) == (7.0, 2.0)
    assert "another thread" in step.explain()
