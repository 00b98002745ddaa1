"""One replica on one device."""

import pytest

import gradtape as tf


def test_the_default_strategy():
    strategy = tf.distribute.get_strategy()
    assert strategy.num_replicas_in_sync == 1
    assert not tf.distribute.has_strategy()
    assert not tf.distribute.in_cross_replica_context()
    context = tf.distribute.get_replica_context()
    assert context.strategy is strategy
    assert context.all_reduce("sum", [1, 2]) == [1, 2]


@pytest.mark.parametrize(
    "make",
    [
        tf.distribute.MirroredStrategy,
        lambda: tf.distribute.MirroredStrategy(["/cpu:0"]),
        lambda: tf.distribute.OneDeviceStrategy("/device:CPU:0"),
    ],
)
def test_strategies_of_one_replica(make):
    strategy = make()
    with strategy.scope():
        assert tf.distribute.get_strategy() is strategy
        assert tf.distribute.has_strategy()
        assert tf.distribute.in_cross_replica_context()

        def replica(x, y):
            context = tf.distribute.get_replica_context()
            assert context.replica_id_in_sync_group == 0
            return context.all_reduce(tf.distribute.ReduceOp.MEAN, x * y)

        out = strategy.run(replica, args=(tf.constant([1.0, 2.0]),), kwargs={"y": 2.0})
        assert out.numpy().tolist() == [2, 4]
    assert not tf.distribute.has_strategy()


def test_reduce():
    strategy, x = tf.distribute.get_strategy(), tf.constant([[1.0, 2.0], [3.0, 6.0]])
    assert strategy.reduce("SUM", x, axis=None) is x
    assert strategy.reduce(tf.distribute.ReduceOp.MEAN, x, axis=0).numpy().tolist() == [2, 4]
    with pytest.raises(ValueError, match="'SUM' or 'MEAN'"):
        strategy.reduce("MAX", x, axis=None)


def test_devices_that_are_not_there():
    with pytest.raises(ValueError, match="GPU"):
        tf.distribute.MirroredStrategy(["GPU:0"])
    assert tf.config.list_physical_devices("GPU") == []
    assert {d.device_type for d in tf.config.list_logical_devices()} == {"CPU"}
    with pytest.raises(NotImplementedError):
        tf.distribute.TPUStrategy()
