import numpy as np
import pytest

import gradtape as tf
from gradtape.compat import v1


@pytest.fixture
def session():
    with tf.Graph().as_default(), v1.Session() as session:
        yield session


def test_a_variable_has_no_value_before_it_is_initialized(session):
    v = tf.Variable([1.0, 2.0], name="v")
    assert v.name == "v:0"
    assert not session.run(v.is_initialized())
    with pytest.raises(tf.errors.FailedPreconditionError, match="Could not find variable v"):
        session.run(v)
    session.run(v.initializer)
    assert session.run(v.is_initialized())
    np.testing.assert_array_equal(session.run(v), [1.0, 2.0])
    np.testing.assert_array_equal(session.run(v.initial_value), [1.0, 2.0])


def test_each_session_has_values_of_its_own(session):
    v = tf.Variable(1.0)
    change = v.assign_add(1.0)
    session.run(v.initializer)
    assert session.run(change) == 2.0
    with v1.Session() as other:
        other.run(v.initializer)
        assert other.run(v) == 1.0
    assert session.run(v) == 2.0


def test_assignments_are_operations(session):
    v = tf.Variable(1.0)
    operation = v.assign(5.0, read_value=False)
    changed = v.assign_sub(0.5)
    session.run(v.initializer)
    assert session.run(v) == 1.0
    assert session.run(operation) is None
    assert session.run(v) == 5.0
    assert session.run(changed + 1.0) == 5.5
    assert changed.op.type == "AssignSubVariableOp"


def test_what_a_session_gave_does_not_change(session):
    v = tf.Variable(np.zeros(3))
    session.run(v.initializer)
    before = session.run(v)
    before += 7.0
    session.run(v.assign_add(np.ones(3)))
    np.testing.assert_array_equal(session.run(v), np.ones(3))


def test_a_value_is_loaded(session):
    v = tf.Variable([1, 2])
    v.load([3, 4], session)
    np.testing.assert_array_equal(v.eval(), [3, 4])


def test_rows_are_changed(session):
    v = tf.Variable(tf.zeros([3, 2]))
    added = v.scatter_add(tf.IndexedSlices(tf.ones([2, 2]), tf.constant([0, 0])))
    session.run(v.initializer)
    np.testing.assert_array_equal(session.run(added), [[2, 2], [0, 0], [0, 0]])


def test_shapes_have_to_agree(session):
    v = tf.Variable([1.0, 2.0], name="v")
    with pytest.raises(ValueError, match="shape"):
        v.assign([1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="initial_value"):
        tf.Variable()


def test_variables_are_keys_and_have_no_value(session):
    v, w = tf.Variable(1.0), tf.Variable(1.0)
    assert {v: 1, w: 2}[v] == 1
    assert v != w
    with pytest.raises(NotImplementedError, match="eager"):
        v.numpy()
    assert repr(v) == "<tf.Variable 'Variable:0' shape=() dtype=float32>"


def test_names_are_numbered_and_scoped(session):
    with tf.name_scope("a"):
        names = [tf.Variable(1.0, name="v").name for _ in range(2)]
    assert names == ["a/v:0", "a/v_1:0"]


def test_a_variable_of_another_graph_is_refused(session):
    v = tf.Variable(1.0)
    with tf.Graph().as_default(), pytest.raises(ValueError, match="graph"):
        v + 1.0


def test_tapes_watch_them(session):
    v = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = v * v
    slope = tape.gradient(y, v)
    session.run(v.initializer)
    assert session.run(slope) == 6.0
