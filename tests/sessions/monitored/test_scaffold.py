import pytest

import gradtape as tf

v1 = tf.compat.v1


def test_defaults():
    with tf.Graph().as_default() as graph:
        v = v1.get_variable("v", initializer=3.0)
        w = v1.get_local_variable("w", initializer=4.0)
        summary = v1.summary.scalar("v", v)
        scaffold = v1.train.Scaffold().finalize()
        assert graph.finalized
        assert scaffold.summary_op is not None
        assert list(scaffold.saver.variables) == ["v"]
        with v1.Session() as session:
            assert session.run(scaffold.ready_op).tolist() == [b"v", b"w"]
            session.run([scaffold.init_op, scaffold.local_init_op])
            assert session.run(scaffold.ready_op).tolist() == []
            assert session.run([v, w]) == [3.0, 4.0]
            assert session.run(scaffold.summary_op) == session.run(summary)


def test_parts_of_another_scaffold():
    with tf.Graph().as_default():
        v1.get_variable("v", initializer=3.0)
        first = v1.train.Scaffold(init_feed_dict={"a": 1}).finalize()
        second = v1.train.Scaffold(copy_from_scaffold=first, init_feed_dict={"b": 2})
        assert second.init_op is first.init_op
        assert second.init_feed_dict == {"b": 2}
        assert v1.train.Scaffold().finalize().saver is first.saver


def test_collections_with_several_elements():
    with tf.Graph().as_default():
        for _ in range(2):
            v1.add_to_collection(v1.GraphKeys.READY_OP, tf.constant(1))
        with pytest.raises(RuntimeError, match="More than one item in the collection 'ready_op'"):
            v1.train.Scaffold().finalize()


def test_a_function_that_initializes():
    with tf.Graph().as_default():
        v = v1.get_variable("v", initializer=3.0)
        scaffold = v1.train.Scaffold(init_fn=lambda scaffold, session: session.load(v, 5.0))
        with v1.train.SingularMonitoredSession(scaffold=scaffold) as session:
            assert session.run(v) == 5.0
