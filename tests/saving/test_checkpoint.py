import copy
import gc
import logging
from pathlib import Path

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.saving.bundle import write_bundle

TENSORFLOWS = Path(__file__).parent / "from_tensorflow"


class Model(tf.Module):
    """That of make_fixtures.py."""

    def __init__(self, factor=1.0):
        super().__init__()
        self.w = tf.Variable(np.float32([[1, 2], [3, 4]]) * factor, name="weights")
        self.many = [tf.Variable(5.0 * factor), "no part", tf.Variable(6.0 * factor)]
        self.named = {
            "a/b.c": tf.Variable(int(7 * factor)),
            "inner": {"x": tf.Variable([8.0 * factor])},
        }
        self.pair = (tf.Variable(9.0 * factor),)
        self.empty, self.text = [], tf.Variable(["a", "", "\0z" * 200] if factor else ["", "", ""])

    @tf.function
    def __call__(self, x):
        return x @ self.w


def everything(factor=1.0):
    step = tf.Variable(int(3 * factor), dtype=tf.int64)
    rng = tf.random.Generator.from_seed(int(4 * factor))
    return tf.train.Checkpoint(model=Model(factor), step=step, rng=rng)


def values(module):
    return [v.numpy().tolist() for v in module.variables]


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


def test_values_wait_for_what_comes_late(tmp_path):
    path = tf.train.Checkpoint(model=Model()).write(tmp_path / "m")
    late = tf.Module()
    late.many = []
    status = tf.train.Checkpoint(model=late).read(path)
    late.many.append(tf.Variable(0.0))
    late.many += ["no part", tf.Variable(0.0)]
    late.named = {"inner": {}}
    late.named["a/b.c"] = tf.Variable(0)
    late.named["inner"]["x"] = tf.Variable([0.0])
    late.pair = (tf.Variable(0.0),)
    with pytest.raises(AssertionError, match=r"Unresolved object in checkpoint \(root\).model.w"):
        status.assert_consumed()
    late.w = tf.Variable(tf.zeros([2, 2]))
    late.text = tf.Variable(["", "", ""])
    status.assert_consumed()
    assert values(late) == values(Model())
    late.w = tf.Variable(tf.zeros([2, 2]))
    assert not late.w.numpy().any()  # what was restored once is not restored again


def test_late_variables_of_another_shape(tmp_path):
    path = tf.train.Checkpoint(v=tf.Variable([1.0, 2.0])).write(tmp_path / "v")
    late = tf.train.Checkpoint()
    late.read(path).expect_partial()
    with pytest.raises(ValueError, match=r"incompatible tensor with shape \(2,\) when attempting"):
        late.v = tf.Variable([0.0])


@pytest.mark.parametrize(
    ("bad", "error", "message"),
    [
        ([1.0, 2.0, 3.0], ValueError, r"with shape \(2,\) .* variable with shape \(3,\) and name"),
        ([1, 2], tf.errors.InvalidArgumentError, "expected dtype int32 does not equal original"),
    ],
)
def test_all_or_nothing(tmp_path, bad, error, message):
    x = tf.Variable([1.0, 2.0])
    path = tf.train.Checkpoint(a=x, c=tf.Variable([5.0, 6.0])).write(tmp_path / "x")
    a, c = tf.Variable([0.0, 0.0]), tf.Variable(bad)
    with pytest.raises(error, match=message):
        tf.train.Checkpoint(a=a, c=c).read(path)
    assert (a.numpy().tolist(), c.numpy().tolist()) == ([0.0, 0.0], bad)


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


def test_a_graph_that_is_none(tmp_path):
    write_bundle(str(tmp_path / "x"), {"_CHECKPOINTABLE_OBJECT_GRAPH": b"\x0a\x04\x0a\x02\x08\x07"})
    with pytest.raises(tf.errors.DataLossError, match="refers to a node that is not there"):
        tf.train.Checkpoint().read(tmp_path / "x")


def test_assertions(tmp_path, caplog):
    path = tf.train.Checkpoint(a=tf.Variable(1.0), b=tf.Variable(2.0)).save(tmp_path / "x")
    status = tf.train.Checkpoint(a=tf.Variable(0.0)).restore(path)
    status.assert_existing_objects_matched().assert_nontrivial_match()
    with pytest.raises(AssertionError, match=r"Unresolved object in checkpoint \(root\).b: attrib"):
        status.assert_consumed()
    with caplog.at_level(logging.WARNING, "tensorflow"):
        del status
        gc.collect()
    assert "could not be found in the restored object: (root).b" in caplog.text
    status = tf.train.Checkpoint(a=tf.Variable(0.0), new=tf.Variable(7.0)).restore(path)
    with pytest.raises(AssertionError, match="Found 1 Python objects that were not bound"):
        status.assert_existing_objects_matched()
    caplog.clear()
    status.expect_partial()
    del status
    gc.collect()
    assert not caplog.text
    status = tf.train.Checkpoint(other=tf.Variable(0.0)).read(path).expect_partial()
    with pytest.raises(AssertionError, match="Nothing except the root object matched"):
        status.assert_nontrivial_match()
    with pytest.raises(AssertionError, match="No checkpoint specified"):
        tf.train.Checkpoint().restore(None).assert_consumed()


def test_errors(tmp_path):
    with pytest.raises(ValueError, match="expecting w to be a trackable object"):
        tf.train.Checkpoint(w=3)
    with pytest.raises(ValueError, match="expecting root to be a trackable object"):
        tf.train.Checkpoint([tf.Variable(1.0)])
    with pytest.raises(tf.errors.NotFoundError, match="You may be missing the checkpoint suffix"):
        tf.train.Checkpoint().restore(tmp_path / "none")
    with pytest.raises(tf.errors.DataLossError, match="it is a directory"):
        tf.train.Checkpoint().restore(tmp_path)
    with pytest.raises(ValueError, match="under the key 1, which is no string"):
        tf.train.Checkpoint(d={1: tf.Variable(1.0)}).write(tmp_path / "x")
    with pytest.raises(ValueError, match=r"keyword argument w if root\.w already exists"):
        tf.train.Checkpoint(Model(), w=tf.Variable(1.0))


def test_names_alone(tmp_path):
    """As the checkpoints of TensorFlow 1 are."""
    write_bundle(str(tmp_path / "old"), {"weights": np.float32([1, 2]), "other": np.float32(3)})
    w = tf.Variable([0.0, 0.0], name="weights")
    status = tf.train.Checkpoint(anything=w).read(tmp_path / "old")
    status.assert_existing_objects_matched()
    assert w.numpy().tolist() == [1.0, 2.0]
    with pytest.raises(AssertionError, match="'other'"):
        status.assert_consumed()


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


def test_modules_with_lists_stay_as_they_are():
    model = Model()
    assert model.many[1] == "no part"
    assert isinstance(model.many, list)
    assert len(copy.deepcopy(model).variables) == len(model.variables)
    model.many.insert(0, [tf.Variable(1.0)])
    assert len(tf.nest.flatten(model.many)) == 4


def test_views(tmp_path):
    model = Model()
    view = tf.train.TrackableView(model)
    assert [*view.children(model)] == ["w", "many", "named", "pair", "empty", "text"]
    path = tf.train.Checkpoint(model=model).write(tmp_path / "x")
    stored = tf.train.CheckpointView(path)
    checkpoint = tf.train.Checkpoint(model=model, new=tf.Variable(1.0))
    matched, missing, new = stored.diff(checkpoint)
    assert matched[1] is model
    assert (missing, new) == ([], [checkpoint.new])
