"""The graph of objects in a checkpoint."""

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.saving.bundle import write_bundle


def test_a_graph_that_is_none(tmp_path):
    write_bundle(str(tmp_path / "x"), {"_CHECKPOINTABLE_OBJECT_GRAPH": b"\x0a\x04\x0a\x02\x08\x07"})
    with pytest.raises(tf.errors.DataLossError, match="refers to a missing node"):
        tf.train.Checkpoint().read(tmp_path / "x")


class Notes(tf.train.experimental.PythonState):
    def __init__(self, text):
        self.text = text

    def serialize(self):
        return self.text

    def deserialize(self, string_value):
        self.text = string_value.decode()


def test_other_state_than_variables(tmp_path):
    def elements():
        return iter(tf.data.Dataset.range(100).shuffle(100, seed=3).batch(7).repeat())

    iterator = elements()
    for _ in range(20):
        next(iterator)
    path = tf.train.Checkpoint(data=iterator, notes=Notes("so far")).write(tmp_path / "x")
    expected = next(iterator).numpy()
    fresh, notes = elements(), Notes("")
    tf.train.Checkpoint(data=fresh, notes=notes).read(path).assert_consumed()
    np.testing.assert_array_equal(next(fresh), expected)
    assert notes.text == "so far"


def test_tables(tmp_path):
    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    table.insert(tf.constant(["a", "b"]), tf.constant([1, 2], tf.int64))
    path = tf.train.Checkpoint(table=table).write(tmp_path / "x")
    assert [name for name, _ in tf.train.list_variables(path)[1:]] == [
        "table/.ATTRIBUTES/table-keys",  # as in TensorFlow
        "table/.ATTRIBUTES/table-values",
    ]
    fresh = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    tf.train.Checkpoint(table=fresh).read(path).assert_consumed()
    assert fresh.lookup(tf.constant(["b", "c"])).numpy().tolist() == [2, -1]
