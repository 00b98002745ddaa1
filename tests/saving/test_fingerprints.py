import pytest

import gradtape as tf

read = tf.saved_model.experimental.read_fingerprint


def saved(path, value, factor=2.0):
    module = tf.Module()
    module.v = tf.Variable(value)
    module.f = tf.function(lambda x: x * factor * module.v, [tf.TensorSpec([], tf.float32)])
    tf.saved_model.save(module, path)
    return read(path)


def test_each_part_has_its_number(tmp_path):
    first = saved(tmp_path / "a", 1.0)
    other_value, other_graph = saved(tmp_path / "b", 5.0), saved(tmp_path / "c", 1.0, 3.0)
    assert first.checkpoint_hash != other_value.checkpoint_hash
    assert first.checkpoint_hash == other_graph.checkpoint_hash
    assert first.graph_def_program_hash != other_graph.graph_def_program_hash
    assert first.signature_def_hash == other_value.signature_def_hash
    assert first.version == 1
    parts = first.singleprint().split("/")
    assert parts[0] == str(first.graph_def_program_hash)
    assert parts[3] == str(first.checkpoint_hash)


def test_none_and_a_damaged_one(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"fingerprint\.pb not found"):
        read(tmp_path)
    saved(tmp_path / "a", 1.0)
    (tmp_path / "a" / "fingerprint.pb").write_bytes(b"\xff\xff\xff")
    with pytest.raises(tf.errors.DataLossError, match="fingerprint"):
        read(tmp_path / "a")
    tf.saved_model.load(tmp_path / "a")
