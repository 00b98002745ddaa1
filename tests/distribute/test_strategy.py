"""Several replicas in one process: what runs as plain Python, in lockstep."""

import gc
import sys
import threading

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


def test_devices():
    assert D.MirroredStrategy().num_replicas_in_sync == 4
    strategy = D.MirroredStrategy(["/cpu:1", "CPU:3"])
    stem = "/job:localhost/replica:0/task:0/device:CPU:"
    assert strategy.extended.worker_devices == (f"{stem}1", f"{stem}3")
    with pytest.raises(AssertionError, match="No duplicates"):
        D.MirroredStrategy(["CPU:0", "cpu:0"])
    with pytest.raises(ValueError, match="CPU:7"):
        D.MirroredStrategy(["CPU:7"])


def test_run_gives_each_replica_its_part(pair):
    mine = pair.run(number)
    assert repr(mine) == (
        "PerReplica:{\n  0: <tf.Tensor: shape=(), dtype=float32, numpy=1.0>,\n"
        "  1: <tf.Tensor: shape=(), dtype=float32, numpy=2.0>\n}"
    )
    both = pair.run(lambda x, y: {"a": x + y, "b": (3, None)}, args=(mine,), kwargs={"y": 1.0})
    assert parts(pair, both["a"]) == [2, 3]
    assert both["b"] == (3, None)
    with pytest.raises(ValueError, match="inside a replica context"):
        tf.convert_to_tensor(mine)
    with pytest.raises(ValueError, match="list or tuple"):
        pair.run(number, args=None)


def test_reduce_and_gather(pair):
    uneven = pair.run(lambda: tf.range(3.0 if number() == 1 else 1.0) + 1)
    assert float(pair.reduce("SUM", uneven, axis=0)) == 7
    assert float(pair.reduce("mean", uneven, axis=0)) == 1.75
    assert pair.gather(uneven, axis=0).numpy().tolist() == [1, 2, 3, 1]
    assert float(pair.reduce("MEAN", pair.run(number), axis=None)) == 1.5
    with pytest.raises(tf.errors.InvalidArgumentError, match="shape"):
        pair.reduce("SUM", uneven, axis=None)
    with pytest.raises(tf.errors.InvalidArgumentError, match="all axes but 1"):
        pair.gather(pair.run(lambda: tf.ones([int(number()), 1])), axis=1)
    with pytest.raises(tf.errors.InvalidArgumentError, match="bool can't be summed"):
        pair.reduce("SUM", pair.run(lambda: number() > 1), axis=None)
    with pytest.raises(ValueError, match="non-DistributedValues"):
        pair.reduce("SUM", tf.constant(1.0), axis=None)


def test_a_generator_draws_other_numbers_in_each_replica(pair):
    with pair.scope():
        ours = tf.random.Generator.from_seed(3)
    alone = tf.random.Generator.from_seed(3)
    for _ in range(2):
        first, second = parts(pair, pair.run(lambda: ours.normal([])))
        assert first == float(alone.normal([]))
        assert first != second
    assert ours.state.numpy().tolist() == alone.state.numpy().tolist()


@pytest.mark.slow
def test_many_steps_leave_nothing_behind(pair):
    with pair.scope():
        w = tf.Variable(tf.zeros(8), aggregation=MEAN)
        seen = tf.Variable(0.0, synchronization=tf.VariableSynchronization.ON_READ, aggregation=SUM)

    def step(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((w - x) ** 2)
        w.assign_sub(0.1 * tape.gradient(loss, w))
        seen.assign_add(1.0)
        return loss

    x = pair.run(lambda: tf.ones(8) * number())

    def steps(count):
        for _ in range(count):
            pair.reduce("SUM", pair.run(step, args=(x,)), axis=None)
        gc.collect()
        return sys.getallocatedblocks(), threading.enumerate()

    blocks, threads = steps(100)
    more, left = steps(300)
    assert more - blocks < 300
    assert [t for t in left if t not in threads] == []
    np.testing.assert_allclose(w, np.full(8, 1.5), rtol=1e-6)
    assert float(seen) == 800


def test_losses_know_the_replicas(pair):
    loss = tf.constant([1.0, 3.0])
    assert parts(pair, pair.run(lambda: tf.nn.compute_average_loss(loss))) == [1, 1]
    assert parts(pair, pair.run(lambda: tf.nn.scale_regularization_loss(loss))) == [2, 2]
    with pair.scope(), pytest.raises(RuntimeError, match="cross replica"):
        tf.nn.scale_regularization_loss(loss)


def test_a_traced_variable_of_a_strategy_has_its_value_again(pair):
    assert not tf.Variable(1.0)._replicated
    with pair.scope():
        v = tf.Variable([1.0, 2.0])
    assert v._replicated
    raw = v._primary()
    v._begin_tracing(np.float32([5.0, 6.0]))
    assert v._at_hand()[0] == 5.0
    np.testing.assert_array_equal(v._end_tracing(), [5.0, 6.0])
    assert v._primary() is raw


def test_unwrap_is_the_older_name_of_local_results():
    strategy = tf.distribute.MirroredStrategy(["CPU:0"])
    assert [float(x) for x in strategy.unwrap(tf.constant(3.0))] == [3.0]


def test_gather_in_a_function_is_an_operation_of_its_graph(pair):
    @tf.function
    def gathered(x):
        return pair.gather(pair.run(lambda y: tf.reshape(y * 2, [1]), args=(x,)), axis=0)

    for x in (3.0, 4.0):
        assert gathered(tf.constant(x)).numpy().tolist() == [2 * x, 2 * x]
    assert "Python" not in gathered.explain()


def test_gather_has_gradients(pair):
    value = pair.experimental_distribute_values_from_function(
        lambda c: tf.fill([2], c.replica_id_in_sync_group + 1.0)
    )
    with tf.GradientTape() as tape:
        tape.watch(value.values)
        total = tf.reduce_sum(pair.gather(value, axis=0) * tf.range(4.0))
    first, second = tape.gradient(total, value.values)
    assert (first.numpy().tolist(), second.numpy().tolist()) == ([0, 1], [2, 3])


@pytest.mark.parametrize("jit", [False, True])
def test_functions_in_replicas_have_gradients(pair, jit):
    with pair.scope():
        v = tf.Variable([2.0, 3.0])
    x = tf.constant([1.0, 2.0])
    f = tf.function(lambda a: a * a * v, jit_compile=jit)
    assert parts(pair, pair.run(f, args=(x,))) == [[2, 12], [2, 12]]
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(pair.reduce("SUM", pair.run(f, args=(x,)), axis=None))
    # Of the variable, it is the gradient of the first replica's component, as in TensorFlow.
    assert [d.numpy().tolist() for d in tape.gradient(y, [x, v])] == [[8, 24], [1, 4]]
