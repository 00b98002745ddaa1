"""Replicas in XLA programs: they print and return the same as in graphs of functions."""

import numpy as np
import pytest
from graph.probing import captured, difference, expected, programs, recorded

import gradtape as tf
from gradtape._src.compute import devices

pytest.importorskip("jax")

pytestmark = pytest.mark.slow

PROGRAMS = {p.name: p for p in programs() if p.name.startswith("replicas.")}
OF_GRAPHS = {
    "a_merge_call": "what is the same in all replicas is a value of each",
    "printing_replicas": "XLA prints nothing",
    "the_gradient_of_a_function_with_replicas": "a tape outside sees nothing of replicas",
    "a_tape_around_replicas": "a tape outside sees nothing of replicas",
    "tapes_in_and_around_replicas": "a tape outside sees nothing of replicas",
    "variables_change_under_a_tape_around_replicas": "a tape outside sees nothing of replicas",
}


@pytest.fixture
def _four_processors(monkeypatch):
    monkeypatch.setattr(devices, "requested_processors", [4])


def without_traces(printed):
    lines = [x for x in printed.stdout if x.split()[0] not in ("trace", "merge", "inner")]
    return printed._replace(stdout=lines)


@pytest.mark.usefixtures("_four_processors")
@pytest.mark.parametrize("name", PROGRAMS)
def test_compiled_programs_print_the_same(name, monkeypatch):
    if name.partition(".")[2] in OF_GRAPHS:
        pytest.skip(OF_GRAPHS[name.partition(".")[2]])
    function = tf.function

    def compiled(*args, **options):
        return function(*args, **options, jit_compile=True)

    monkeypatch.setattr(tf, "function", compiled)
    printed = without_traces(captured(PROGRAMS[name], tf))
    if printed.error == "InvalidArgumentError":
        pytest.skip("XLA has no iteration over datasets")
    assert not difference(printed, without_traces(expected(recorded()[name])))


@pytest.fixture
def pair():
    return tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])


@pytest.mark.usefixtures("_four_processors")
def test_replicas_are_traced_once_for_all(pair):
    traces = []

    def replica(x):
        traces.append(1)
        return x * 2.0

    @tf.function(jit_compile=True)
    def step(x):
        return pair.reduce("SUM", pair.run(replica, args=(x,)), axis=None)

    assert [float(step(tf.constant(x))) for x in (1.0, 2.0)] == [4, 8]
    assert len(traces) == 1


@pytest.mark.usefixtures("_four_processors")
def test_compiled_functions_read_the_present_values_of_variables(pair):
    with pair.scope():
        v = tf.Variable(1.0)
        total = tf.Variable(
            1.0,
            trainable=False,
            synchronization=tf.VariableSynchronization.ON_READ,
            aggregation=tf.VariableAggregation.SUM,
        )

    @tf.function(jit_compile=True)
    def read(x):
        return v * x

    @tf.function(jit_compile=True)
    def both(x):
        return v * x, total + 0.0

    @tf.function(jit_compile=True)
    def write(x):
        v.assign_add(x)
        return v + 0.0

    x = tf.constant(2.0)
    assert float(read(x)) == 2
    np.testing.assert_array_equal(both(x), [2, 2])
    v.assign(5.0)
    pair.run(lambda: total.assign_add(1.0))
    assert float(read(x)) == 10
    np.testing.assert_array_equal(both(x), [10, 4])
    assert float(write(x)) == float(v) == 7
    with tf.GradientTape() as tape:
        y = read(x)
    assert float(tape.gradient(y, v)) == 2


@pytest.mark.usefixtures("_four_processors")
def test_choices_and_loops_in_compiled_replicas(pair):
    with pair.scope():
        v = tf.Variable(0.0, aggregation=tf.VariableAggregation.SUM)
        own = tf.Variable(0.0)

    def replica(x):
        context = tf.distribute.get_replica_context()
        for _ in tf.range(3):
            if context.all_reduce("SUM", x) > 2.0:
                v.assign_add(x)
            own.assign_add(x)
        return tf.random.uniform([2])

    @tf.function(jit_compile=True)
    def step(x):
        drawn = pair.run(replica, args=(x,))
        return pair.experimental_local_results(drawn)

    x = pair.experimental_distribute_values_from_function(
        lambda c: tf.constant(1.0 + c.replica_id_in_sync_group)
    )
    first, second = step(x)
    assert float(v) == 9
    assert [float(part) for part in own.values] == [3, 6]
    assert np.all(first.numpy() != second.numpy())


@pytest.mark.usefixtures("_four_processors")
@pytest.mark.parametrize("traced", [False, True])
def test_an_inner_function_runs_the_replicas(pair, traced):
    with pair.scope():
        v = tf.Variable(1.0)

    def replica(x):
        v.assign_add(x)
        return v * 1.0

    @tf.function
    def inner(x):
        return pair.reduce("SUM", pair.run(replica, args=(x,)), axis=None)

    @tf.function(jit_compile=True)
    def outer(x):
        return inner(x) * 2.0

    if traced:
        inner(tf.constant(0.0))
    assert float(outer(tf.constant(1.0))) == 8
    assert float(v) == 2
    assert float(inner(tf.constant(1.0))) == 6


@pytest.mark.usefixtures("_four_processors")
def test_one_function_runs_in_replicas_of_one_strategy(pair):
    three = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1", "CPU:2"])

    @tf.function(jit_compile=True)
    def step(x):
        a = pair.reduce("SUM", pair.run(lambda y: y, args=(x,)), axis=None)
        return a + three.reduce("SUM", three.run(lambda y: y, args=(x,)), axis=None)

    with pytest.raises(RuntimeError, match=r"step: .* one strategy only"):
        step(tf.constant(1.0))


@pytest.mark.usefixtures("_four_processors")
def test_components_of_replicas_are_left_to_numpy_after_set_jit():
    found = []
    for jit in (False, True):
        strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
        with strategy.scope():
            count = tf.Variable(
                0.0,
                synchronization=tf.VariableSynchronization.ON_READ,
                aggregation=tf.VariableAggregation.SUM,
            )

        @tf.function
        def step(x, strategy=strategy, count=count):
            strategy.run(lambda: count.assign_add(x))
            return count.read_value()

        tf.config.optimizer.set_jit(jit)
        try:
            found.append([step(tf.constant(1.0)).numpy() for _ in range(5)])
        finally:
            tf.config.optimizer.set_jit(False)
    assert found[0] == found[1]
