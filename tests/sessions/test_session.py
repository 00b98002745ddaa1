import pytest

import gradtape as tf
from gradtape.compat import v1


def test_a_closed_session_runs_nothing():
    with tf.Graph().as_default():
        x = tf.constant(1.0)
        session = v1.Session()
        assert session.run(x) == 1.0
        session.close()
        with pytest.raises(RuntimeError, match="closed"):
            session.run(x)


def test_an_empty_graph():
    with v1.Session(graph=tf.Graph()) as session, pytest.raises(RuntimeError, match="empty"):
        session.run("x:0")


def test_the_default_session():
    assert v1.get_default_session() is None
    with tf.Graph().as_default():
        x = tf.constant(3.0)
        with pytest.raises(ValueError, match="No default session"):
            x.eval()
        with v1.Session() as session:
            assert v1.get_default_session() is session
            assert x.eval() == 3.0
            x.op.run()
        session = v1.InteractiveSession()
        assert x.eval() == 3.0
        session.close()
    assert v1.get_default_session() is None


def test_a_session_of_another_graph():
    with tf.Graph().as_default():
        x = tf.constant(1.0)
    with tf.Graph().as_default(), v1.Session(), pytest.raises(ValueError, match="different"):
        x.eval()


def test_a_callable():
    with tf.Graph().as_default(), v1.Session() as session:
        x, y = v1.placeholder(tf.float32, []), v1.placeholder(tf.float32, [])
        run = session.make_callable([x + y, x], [x, y])
        assert run(1.0, 2.0) == [3.0, 1.0]
        assert session.make_callable(tf.constant(2))() == 2
        with pytest.raises(TypeError, match="feed_list"):
            session.make_callable(x, x)


@pytest.mark.parametrize("arguments", [{"graph": 3}, {"target": 3}])
def test_arguments_of_another_kind(arguments):
    with pytest.raises(TypeError, match=next(iter(arguments))):
        v1.Session(**arguments)


def test_callables_take_a_value_for_each_feed():
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [])
        call = session.make_callable(x * 2.0, [x])
        assert call(2.0) == 4.0
        for values in ((), (1.0, 2.0)):
            with pytest.raises(tf.errors.InvalidArgumentError, match="Expected to feed 1 values"):
                call(*values)
