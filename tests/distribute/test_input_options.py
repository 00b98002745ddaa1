"""Options of a strategy's input: which dataset each replica reads."""

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.compute import devices

D = tf.distribute
FOR_EACH = D.InputOptions(experimental_replication_mode=D.InputReplicationMode.PER_REPLICA)


@pytest.fixture
def pair(monkeypatch):
    monkeypatch.setattr(devices, "requested_processors", [2])
    return D.MirroredStrategy(["CPU:0", "CPU:1"])


def test_defaults_are_tensorflows():
    options = D.InputOptions()
    assert tuple(options) == (True, D.InputReplicationMode.PER_WORKER, False, 1)
    assert tuple(D.RunOptions()) == (True, False, None)


def test_each_replica_reads_a_dataset_of_its_own(pair):
    asked = []

    def made(context):
        asked.append((context.input_pipeline_id, context.num_input_pipelines))
        return tf.data.Dataset.range(3).map(lambda n: n + 10 * context.input_pipeline_id).batch(1)

    found = pair.distribute_datasets_from_function(made, FOR_EACH)
    parts = [np.concatenate(pair.experimental_local_results(x)).tolist() for x in found]
    assert asked == [(0, 2), (1, 2)]
    assert parts == [[0, 10], [1, 11], [2, 12]]


def test_a_given_dataset_cannot_be_made_for_each_replica(pair):
    with pytest.raises(NotImplementedError, match="distribute_datasets_from_function"):
        pair.experimental_distribute_dataset(tf.data.Dataset.range(4).batch(2), FOR_EACH)
    assert pair.run(lambda: 1, options=D.RunOptions()) == 1
