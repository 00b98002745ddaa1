import copy
from pathlib import Path

import numpy as np
import pytest
from checkpointed_model import Model, values

import gradtape as tf
from gradtape._src.saving.bundle import write_bundle

TENSORFLOWS = Path(__file__).parent / "from_tensorflow"


def everything(factor=1.0):
    step = tf.Variable(int(3 * factor), dtype=tf.int64)
    rng = tf.random.Generator.from_seed(int(4 * factor))
    return tf.train.Checkpoint(model=Model(factor), step=step, rng=rng)


def test_the_files_are_tensorflows(tmp_path):
    path = everything().save(tmp_path / "module")
    assert path == str(tmp_path / "module-1")
    assert (tmp_path / "checkpoint").read_text() == (
        'model_checkpoint_path: "module-1"\nall_model_checkpoint_paths: "module-1"\n'
    )
    tf.train.Checkpoint(Model()).write(tmp_path / "root")
    for name in ("module-1", "root"):
        ours, theirs = (tf.train.load_checkpoint(d / name) for d in (tmp_path, TENSORFLOWS))
        assert ours.get_variable_to_shape_map() == theirs.get_variable_to_shape_map()
        graph = "_CHECKPOINTABLE_OBJECT_GRAPH"
        assert ours.get_tensor(graph) == theirs.get_tensor(graph)  # byte by byte


def test_restoring_what_tensorflow_wrote():
    checkpoint = everything(0.0)
    checkpoint.restore(TENSORFLOWS / "module-1").assert_consumed()
    assert values(checkpoint.model) == values(Model())
    assert (int(checkpoint.step), int(checkpoint.save_counter)) == (3, 1)
    expected = tf.random.Generator.from_seed(4).normal([3])
    np.testing.assert_array_equal(checkpoint.rng.normal([3]), expected)
    model = Model(0.0)
    tf.train.Checkpoint(model).read(TENSORFLOWS / "root").assert_consumed()
    assert values(model) == values(Model())
    model = Model(0.0)
    tf.train.Checkpoint(model).read(TENSORFLOWS / "saved_model")  # its variables
    assert values(model) == values(Model())


def test_damaged_data_changes_nothing(tmp_path):
    path = tf.train.Checkpoint(a=tf.Variable(1.0), b=tf.Variable(2.0)).write(tmp_path / "x")
    data = tmp_path / "x.data-00000-of-00001"
    raw = bytearray(data.read_bytes())
    raw[-2] ^= 1  # the last tensor is b
    data.write_bytes(raw)
    a, b = tf.Variable(0.0), tf.Variable(0.0)
    with pytest.raises(tf.errors.DataLossError, match="Checksum does not match"):
        tf.train.Checkpoint(a=a, b=b).read(path)
    assert (float(a), float(b)) == (0.0, 0.0)


def test_errors(tmp_path):
    with pytest.raises(ValueError, match="expecting w to be a trackable object"):
        tf.train.Checkpoint(w=3)
    with pytest.raises(ValueError, match="expecting root to be a trackable object"):
        tf.train.Checkpoint([tf.Variable(1.0)])
    with pytest.raises(tf.errors.NotFoundError, match="You may be missing the checkpoint suffix"):
        tf.train.Checkpoint().restore(tmp_path / "none")
    with pytest.raises(tf.errors.DataLossError, match="it is a directory"):
        tf.train.Checkpoint().restore(tmp_path)
    with pytest.raises(ValueError, match="under the key 1, which is not a string"):
        tf.train.Checkpoint(d={1: tf.Variable(1.0)}).write(tmp_path / "x")
    with pytest.raises(ValueError, match=r"keyword argument w if root\.w already exists"):
        tf.train.Checkpoint(Model(), w=tf.Variable(1.0))


def test_names_alone(tmp_path):
    """As the checkpoints of TensorFlow 1 are."""
    write_bundle(str(tmp_path / "old"), {"weights": np.float32([1, 2]), "other": np.float32(3)})
    w = tf.Variable([0.0, 0.0], name="weights")
    status = tf.train.Checkpoint(anything=w).read(tmp_path / "old")
    status.assert_consumed()  # as TensorFlow: the checkpoint may have more names
    assert w.numpy().tolist() == [1.0, 2.0]
    more = tf.train.Checkpoint(anything=w, more=tf.Variable(1.0, name="absent"))
    with pytest.raises(AssertionError, match="absent"):
        more.read(tmp_path / "old").assert_consumed()
    late = tf.train.Checkpoint()
    late.read(tmp_path / "old")
    late.parts = [tf.Variable(0.0, name="other")]
    late.parts.append(tf.Variable([0.0, 0.0], name="weights"))
    assert float(late.parts[0]) == 3.0
    assert late.parts[1].numpy().tolist() == [1.0, 2.0]


def test_modules_with_lists_stay_as_they_are():
    model = Model()
    assert model.many[1] == "no part"
    assert isinstance(model.many, list)
    assert len(copy.deepcopy(model).variables) == len(model.variables)
    model.many.insert(0, [tf.Variable(1.0)])
    assert len(tf.nest.flatten(model.many)) == 4
