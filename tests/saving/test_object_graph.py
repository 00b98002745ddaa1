"""The graph of objects in a checkpoint."""

import pytest

import gradtape as tf
from gradtape._src.saving.bundle import write_bundle


def test_a_graph_that_is_none(tmp_path):
    write_bundle(str(tmp_path / "x"), {"_CHECKPOINTABLE_OBJECT_GRAPH": b"\x0a\x04\x0a\x02\x08\x07"})
    with pytest.raises(tf.errors.DataLossError, match="refers to a node that is not there"):
        tf.train.Checkpoint().read(tmp_path / "x")
