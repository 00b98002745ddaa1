"""Functions of a program of two processes: prints what they give, eagerly and as graphs, as JSON.

python functions.py REPLICAS INDEX PORT
"""

import json
import os
import sys

import numpy as np


def functions(tf, strategy):
    """The functions by name; each takes the batches of a dataset."""
    on_read, how = tf.VariableSynchronization.ON_READ, tf.VariableAggregation
    with strategy.scope():
        total = tf.Variable(0.0, trainable=False, synchronization=on_read, aggregation=how.SUM)
        mean = tf.Variable(1.0, aggregation=how.MEAN)
        first = tf.Variable(1.0, aggregation=how.ONLY_FIRST_REPLICA)
        rows = tf.Variable(tf.zeros([4]), aggregation=how.SUM)
    outside = tf.Variable(3.0)

    def replica(x):
        context = tf.distribute.get_replica_context()
        number = tf.cast(context.replica_id_in_sync_group, tf.float32)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = context.all_reduce("SUM", tf.reduce_sum(x * x) * (number + 1.0))
        total.assign_add(tf.reduce_sum(tape.gradient(y, x)))
        mean.assign_add(number + 1.0)
        first.assign(number + 5.0)
        a, b = context.all_reduce("MEAN", [number, number * number])
        return tf.reduce_sum(x), y, a + b

    def step(x):
        own, y, means = strategy.run(replica, args=(x,))
        parts = [strategy.reduce("SUM", part, axis=None) for part in (own, y, means)]
        return [*parts, total.read_value(), mean + 0.0, first + 0.0]

    def average(x):
        return strategy.reduce("MEAN", x, axis=0)

    def joined(x):
        return strategy.gather(x, axis=0)

    def power(x):
        def squared():
            return tf.distribute.get_replica_context().all_reduce("SUM", outside * outside)

        return strategy.reduce("SUM", strategy.run(squared), axis=None)

    def scattered(x):
        def added():
            number = tf.distribute.get_replica_context().replica_id_in_sync_group
            where = tf.reshape(tf.cast(number, tf.int32), [1])
            rows.scatter_add(tf.IndexedSlices(tf.ones([1]), where))

        strategy.run(added)
        return rows + 0.0

    return outside, [step, average, joined, power, scattered, gathered_slopes(tf, strategy)]


def gathered_slopes(tf, strategy):
    """A function that takes a gradient through the values of all replicas."""

    def slope_through_all(x):
        def replica(x):
            context = tf.distribute.get_replica_context()
            with tf.GradientTape() as tape:
                tape.watch(x)
                whole = context.all_gather(x * x, 0)
                number = tf.cast(context.replica_id_in_sync_group, tf.float32)
                y = tf.reduce_sum(whole * whole) * (number + 1.0)
            return whole, tape.gradient(y, x)

        wholes, slopes = strategy.run(replica, args=(x,))
        return strategy.reduce("SUM", wholes, axis=None), strategy.gather(slopes, axis=0)

    return slope_through_all


def answers(tf, strategy, batches, wrap):
    """Returns the functions' results for each batch, a sum over all batches, and a gradient."""
    outside, made = functions(tf, strategy)
    wrapped = [wrap(f) for f in made]
    found = []
    for x in batches:
        found += [[np.asarray(y).tolist() for y in tf.nest.flatten(f(x))] for f in wrapped]

    def epoch(batches):
        whole = 0.0
        for x in batches:
            whole += strategy.reduce("SUM", strategy.run(tf.reduce_sum, args=(x,)), axis=None)
        return whole

    epoch = wrap(epoch)
    found += [[float(epoch(batches))] for _ in range(2)]
    power = wrapped[3]
    slopes = []
    for _ in range(2):
        with tf.GradientTape() as tape:
            y = power(0)
        slopes.append(tape.gradient(y, outside))
    return found, slopes, [*wrapped, epoch]


def main():
    local, index, port = map(int, sys.argv[1:])
    workers = [f"127.0.0.1:{port + i}" for i in range(2)]
    task = {"type": "worker", "index": index}
    os.environ["TF_CONFIG"] = json.dumps({"cluster": {"worker": workers}, "task": task})
    import gradtape as tf

    cpu = tf.config.list_physical_devices("CPU")[0]
    devices = [tf.config.LogicalDeviceConfiguration()] * local
    tf.config.set_logical_device_configuration(cpu, devices)
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    numbers = tf.data.Dataset.range(7 * local).map(lambda x: tf.cast(x, tf.float32))
    batches = strategy.experimental_distribute_dataset(numbers.batch(4 * local))
    eager, _, _ = answers(tf, strategy, batches, lambda f: f)
    graphs, slopes, made = answers(tf, strategy, batches, tf.function)
    as_python = [f.name for f in made if "ran as Python" in f.explain()]
    slopes = [float(slope) for slope in slopes]
    print(json.dumps([eager, graphs, slopes, as_python]), flush=True)


if __name__ == "__main__":
    main()
