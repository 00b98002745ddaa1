"""A training step under a strategy, with datasets per replica."""

from __future__ import annotations

import gradtape as tf


def batches(context: tf.distribute.InputContext) -> tf.data.Dataset:
    size = context.get_per_replica_batch_size(8)
    data = tf.data.Dataset.range(16).map(lambda i: tf.cast(i, tf.float32))
    return data.shard(context.num_input_pipelines, context.input_pipeline_id).batch(size)


def main() -> None:
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    with strategy.scope():
        w = tf.Variable(0.0, aggregation=tf.VariableAggregation.MEAN)
        seen = tf.Variable(
            0,
            trainable=False,
            synchronization=tf.VariableSynchronization.ON_READ,
            aggregation=tf.VariableAggregation.SUM,
        )

    def step(x: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((w * x - 3.0 * x) ** 2)
        gradient = tape.gradient(loss, w)
        context = tf.distribute.get_replica_context()
        assert context is not None
        gradient = context.all_reduce(tf.distribute.ReduceOp.MEAN, gradient)
        w.assign_sub(0.001 * gradient)
        seen.assign_add(tf.size(x))
        return loss

    @tf.function
    def together(x: tf.Tensor) -> tf.Tensor:
        losses = strategy.run(step, args=(x,))
        return strategy.reduce(tf.distribute.ReduceOp.MEAN, losses, axis=None)

    for x in strategy.distribute_datasets_from_function(batches):
        loss = together(x)
        print(loss.dtype.name, round(float(w), 3) > 0)
    print(strategy.num_replicas_in_sync, int(seen))
    parts = strategy.experimental_local_results(strategy.run(lambda: tf.constant(1.0)))
    print([float(p) for p in parts])


main()
