"""A training step in replicas."""

import gradtape as tf


def main() -> None:
    strategy = tf.distribute.MirroredStrategy(["/cpu:0"])
    with strategy.scope():
        w = tf.Variable(1.0, aggregation=tf.VariableAggregation.MEAN)
    replicas: int = strategy.num_replicas_in_sync

    def replica_step(x: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            loss = tf.nn.compute_average_loss((x * w - 2.0) ** 2, global_batch_size=4)
        w.assign_sub(0.1 * tape.gradient(loss, w))
        context = tf.distribute.get_replica_context()
        assert context is not None
        return loss

    @tf.function
    def train_step(x: tf.Tensor) -> tf.Tensor:
        losses = strategy.run(replica_step, args=(x,))
        return strategy.reduce(tf.distribute.ReduceOp.SUM, losses, axis=None)

    data = tf.data.Dataset.from_tensor_slices(tf.ones(8)).batch(4)
    for batch in strategy.experimental_distribute_dataset(data):
        print(replicas, train_step(batch).numpy())


if __name__ == "__main__":
    main()
