"""The methods of a strategy that libraries use, but few programs."""

import pytest

import gradtape as tf
from gradtape._src.compute import devices


@pytest.fixture
def strategy(monkeypatch):
    monkeypatch.setattr(devices, "requested_processors", [2])
    return tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])


def test_facts(strategy):
    extended = strategy.extended
    assert len(extended.worker_devices) == 2
    assert extended.parameter_devices
    assert extended.should_checkpoint
    assert extended.should_save_summary
    assert not extended._in_multi_worker_mode()


def test_variables_know_their_strategy(strategy):
    with strategy.scope():
        v = tf.Variable(1.0)
        with strategy.extended.colocate_vars_with(v):
            w = tf.Variable(2.0)
    assert strategy.extended.variable_created_in_scope(v)
    assert strategy.extended.variable_created_in_scope(w)
    assert not strategy.extended.variable_created_in_scope(tf.Variable(1.0))


def test_an_update_runs_for_all_replicas_together(strategy):
    with strategy.scope():
        v = tf.Variable(1.0)
    calls = []

    def double(variable, by):
        calls.append(1)
        return variable.assign(variable * by)

    strategy.extended.update(v, double, args=(3.0,))
    assert float(v) == 3
    assert float(strategy.extended.read_var(v)) == 3
    assert calls


def test_values_are_combined(strategy):
    per_replica = strategy.run(
        lambda: tf.distribute.get_replica_context().replica_id_in_sync_group + 1
    )
    assert int(strategy.extended.reduce_to("SUM", per_replica, None)) == 3
    assert [
        int(x) for x in strategy.extended.batch_reduce_to("SUM", [(per_replica, None)] * 2)
    ] == [
        3,
        3,
    ]


def test_functions_run_in_each_replica(strategy):
    found = strategy.extended.call_for_each_replica(
        lambda x: x + tf.distribute.get_replica_context().replica_id_in_sync_group, args=(10,)
    )
    assert [int(x) for x in strategy.experimental_local_results(found)] == [10, 11]
