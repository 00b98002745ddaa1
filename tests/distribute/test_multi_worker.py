"""The strategy for several processes, with a single process."""

import json

import pytest

import gradtape as tf

pytest.importorskip("jax")

pytestmark = pytest.mark.slow

CLUSTER = {"worker": ["127.0.0.1:1", "127.0.0.1:2"]}


def test_without_a_cluster_it_is_one_worker(monkeypatch):
    monkeypatch.delenv("TF_CONFIG", raising=False)
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    assert strategy.num_replicas_in_sync == 1
    with strategy.scope():
        v = tf.Variable(1.0)
    strategy.run(lambda: v.assign_add(2.0))
    assert float(v) == 3
    assert isinstance(strategy, tf.distribute.experimental.MultiWorkerMirroredStrategy)


@pytest.mark.parametrize(
    "configuration",
    [
        {
            "cluster": {"worker": ["127.0.0.1:1", "127.0.0.1:2"]},
            "task": {"type": "worker", "index": 5},
        },
        {"cluster": {"worker": ["127.0.0.1:1", "127.0.0.1:2"]}, "task": {"type": "ps", "index": 0}},
    ],
)
def test_a_task_that_the_cluster_has_not(monkeypatch, configuration):
    monkeypatch.setenv("TF_CONFIG", json.dumps(configuration))
    with pytest.raises(ValueError, match="worker"):
        tf.distribute.MultiWorkerMirroredStrategy()
