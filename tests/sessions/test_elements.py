import pytest

import gradtape as tf
from gradtape._src.sessions.elements import nodes_of
from gradtape.compat import v1


def test_what_stands_for_nodes():
    with tf.Graph().as_default() as graph:
        x = tf.constant(1.0, name="x")
        v = tf.Variable(1.0, name="v")
        changed = v.assign(2.0)
        group = tf.group(changed)
        sparse = tf.SparseTensor([[0]], x[tf.newaxis], [1])
        found = nodes_of(graph, [x, v, changed, group, None, "x", sparse])
        names = [graph.operation_of(node).name for node in found]
    assert names[:4] == ["x", "v/Read/ReadVariableOp", "AssignVariableOp", "group_deps"]
    assert "strided_slice" in names
    with pytest.raises(TypeError, match="Can not convert"):
        nodes_of(graph, [object()])


def test_an_operation_runs_in_a_session():
    with tf.Graph().as_default(), v1.Session() as session:
        v = tf.Variable(1.0)
        x = v1.placeholder(tf.float32, [])
        change = v.assign(x, read_value=False)
        v.initializer.run()
        change.run({x: 3.0})
        assert session.run(v) == 3.0
        assert change.control_inputs == []
