import numpy as np
import pytest

import gradtape as tf
from gradtape.compat import v1

FIRST = np.arange(10, dtype=np.float32).reshape(5, 2)


def _variable(count=2, name="v", first=FIRST):
    partitioner = v1.fixed_size_partitioner(count)
    return v1.get_variable(name, initializer=tf.constant(first), partitioner=partitioner)


@pytest.fixture
def checkpoint(tmp_path):
    path = str(tmp_path / "model")
    with tf.Graph().as_default(), v1.Session() as session:
        v = _variable()
        v1.train.AdagradOptimizer(0.1).minimize(tf.reduce_sum(v.as_tensor()))
        session.run(v1.global_variables_initializer())
        v1.train.Saver().save(session, path)
    return path


def test_the_parts_are_saved_as_slices_of_one_tensor(checkpoint):
    assert tf.train.list_variables(checkpoint) == [("v", [5, 2]), ("v/Adagrad", [5, 2])]
    np.testing.assert_array_equal(tf.train.load_variable(checkpoint, "v"), FIRST)
    reader = tf.train.load_checkpoint(checkpoint)
    np.testing.assert_array_equal(reader.read_slice("v", ((3, 2), (0, 2))), FIRST[3:])
    np.testing.assert_array_equal(reader.read_slice("v", ((2, 2), (0, 2))), FIRST[2:4])


@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_variable_may_be_divided_in_another_way_when_it_is_restored(checkpoint, count):
    with tf.Graph().as_default(), v1.Session() as session:
        v = _variable(count, first=np.zeros((5, 2), np.float32))
        v1.train.Saver().restore(session, checkpoint)
        np.testing.assert_array_equal(session.run(v.as_tensor()), FIRST)
    with tf.Graph().as_default(), v1.Session() as session:
        v = v1.get_variable("v", [5, 2])
        v1.train.Saver().restore(session, checkpoint)
        np.testing.assert_array_equal(session.run(v), FIRST)


def test_some_parts_alone_are_saved_and_restored(tmp_path):
    path = str(tmp_path / "part")
    with tf.Graph().as_default(), v1.Session() as session:
        v = _variable()
        session.run(v1.global_variables_initializer())
        saver = v1.train.Saver(list(v)[1:])
        saver.save(session, path)
        session.run(v.assign(np.zeros((5, 2), np.float32)))
        saver.restore(session, path)
        assert session.run(tf.reduce_sum(v, 1)).tolist() == [0, 0, 0, 13, 17]
        v1.train.Saver({"other": v}).save(session, path)
    np.testing.assert_array_equal(tf.train.load_variable(path, "other")[3:], FIRST[3:])


def test_two_variables_of_one_name_are_refused():
    with tf.Graph().as_default():
        v = _variable()
        with pytest.raises(ValueError, match="same name: v"):
            v1.train.Saver([*v, tf.Variable(1.0, name="v")])


def test_eager_variables_are_saved(tmp_path):
    v, path = _variable(), str(tmp_path / "eager")
    saver = v1.train.Saver([v])
    saver.save(None, path)
    v.assign(FIRST * 0)
    saver.restore(None, path)
    np.testing.assert_array_equal(v.as_tensor(), FIRST)


def test_the_first_format_holds_whole_variables(tmp_path):
    path = str(tmp_path / "old")
    with tf.Graph().as_default(), v1.Session() as session:
        v = _variable()
        session.run(v1.global_variables_initializer())
        saver = v1.train.Saver(write_version=v1.train.SaverDef.V1)
        saver.save(session, path)
        session.run(v.assign(FIRST * 0))
        saver.restore(session, path)
        np.testing.assert_array_equal(session.run(v.as_tensor()), FIRST)


def test_meta_graphs_describe_the_parts(checkpoint):
    with tf.Graph().as_default(), v1.Session() as session:
        saver = v1.train.import_meta_graph(f"{checkpoint}.meta")
        saver.restore(session, checkpoint)
        parts = v1.trainable_variables()
        np.testing.assert_array_equal(session.run(parts[1]), FIRST[3:])
        assert parts[1]._get_save_slice_info().spec == "5 2 3,2:0,2"


@pytest.mark.parametrize("target", ["v", "w"])
def test_initial_values_of_parts_are_parts_of_the_value_in_a_checkpoint(checkpoint, target):
    with tf.Graph().as_default(), v1.Session() as session:
        w = _variable(3, target, FIRST * 0)
        v1.train.init_from_checkpoint(checkpoint, {"v": target} if target == "w" else {"/": "/"})
        session.run(v1.global_variables_initializer())
        np.testing.assert_array_equal(session.run(w.as_tensor()), FIRST)
        with pytest.raises(ValueError, match="doesn't match with shape"):
            v1.train.init_from_checkpoint(checkpoint, {"v": _variable(2, "u", FIRST[:4])})


def test_graphs_of_tensorflow_mark_the_variables_that_are_saved(checkpoint):
    with tf.Graph().as_default(), v1.Session() as session:
        message = v1.train.export_meta_graph()
        node = message.graph_def.node.add(name="v", op="VarHandleOp")
        node.attr["dtype"].type = 1
        node.attr["shape"].shape.dim.add(size=2)
        message.graph_def.node.add(name="mark", op="DisableCopyOnRead", input=["v"])
        tf.import_graph_def(message.graph_def, name="")
        session.run("mark")
