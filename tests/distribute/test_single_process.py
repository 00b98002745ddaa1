"""Strategies of one process."""

import pytest

import gradtape as tf


def test_central_storage_is_for_one_device():
    strategy = tf.distribute.experimental.CentralStorageStrategy("CPU:0", "CPU:0")
    with strategy.scope():
        v = tf.Variable(1.0)
    assert float(strategy.run(lambda: v.assign_add(2.0))) == 3.0
    with pytest.raises(ValueError, match="GPU:7"):
        tf.distribute.experimental.CentralStorageStrategy(["GPU:7"])


def test_central_storage_is_not_for_several_devices(monkeypatch):
    devices = ["CPU:0", "CPU:1"]
    name = "gradtape._src.distribute.single_process.checked_devices"
    monkeypatch.setattr(name, lambda given: given or devices)
    with pytest.raises(ValueError, match="MirroredStrategy for several"):
        tf.distribute.experimental.CentralStorageStrategy(devices)
    strategy = tf.distribute.experimental.CentralStorageStrategy()
    assert strategy.num_replicas_in_sync == 1
