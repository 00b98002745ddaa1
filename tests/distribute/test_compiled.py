"""Replicas in compiled functions: their code runs once, for all devices."""

import pytest

import gradtape as tf
from gradtape._src.distribute.compiled import program_of

pytest.importorskip("jax")

pytestmark = pytest.mark.slow


def test_what_only_a_program_for_all_devices_can_tell_is_refused_elsewhere():
    strategy = tf.distribute.MirroredStrategy(["CPU:0"])

    @tf.function(jit_compile=True)
    def step(x):
        return strategy.run(lambda y: y * 2.0, args=(x,))

    assert float(step(tf.constant(3.0))) == 6


def test_the_context_of_a_replica_in_a_compiled_step():
    strategy = tf.distribute.MirroredStrategy(["CPU:0"])
    seen = []

    @tf.function(jit_compile=True)
    def step(x):
        def replica(y):
            context = tf.distribute.get_replica_context()
            seen.append((context.num_replicas_in_sync, context.strategy is strategy))
            return context.all_reduce("sum", y)

        return strategy.run(replica, args=(x,))

    assert float(step(tf.constant(3.0))) == 3
    assert set(seen) == {(1, True)}


def test_traces_of_several_functions_are_not_counted_together(caplog):
    strategy = tf.distribute.MirroredStrategy(["CPU:0"])
    functions = [
        lambda x: x + 1.0,
        lambda x: x + 2.0,
        lambda x: x + 3.0,
        lambda x: x + 4.0,
        lambda x: x + 5.0,
        lambda x: x + 6.0,
    ]
    for n, function in enumerate(functions):
        program = program_of(strategy, tf.function(jit_compile=True)(function))
        assert float(program([tf.constant(1.0)], {})) == n + 2
    assert "retracing" not in caplog.text
