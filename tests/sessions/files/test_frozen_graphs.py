"""Graphs with constants in place of variables."""

import pytest

import gradtape as tf

v1 = tf.compat.v1


def test_variables_become_constants():
    with tf.Graph().as_default() as graph, v1.Session() as session:
        x = v1.placeholder(tf.float32, [], "x")
        v = v1.get_variable("v", initializer=2.0)
        w = v1.get_variable("w", initializer=5.0)
        v1.add(x * v, w, name="y")
        session.run(v1.global_variables_initializer())
        message = graph.as_graph_def()
        frozen = v1.graph_util.convert_variables_to_constants(session, message, ["y"])
        part = v1.graph_util.convert_variables_to_constants(session, message, ["y"], ["v"])
    assert "VarHandleOp" not in {node.op for node in frozen.node}
    assert [node.name for node in part.node if node.op == "VarHandleOp"] == ["w"]
    with tf.Graph().as_default(), v1.Session() as session:
        v1.import_graph_def(frozen, name="")
        assert session.run("y:0", {"x:0": 3.0}) == 11.0


def test_only_what_is_needed_is_kept():
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, [], "x")
        v1.exp(x, name="y")
        v1.log(x, name="z")
    part = v1.graph_util.extract_sub_graph(graph.as_graph_def(), ["y"])
    assert [node.name for node in part.node] == ["x", "y"]
    with pytest.raises(AssertionError, match="q is not in graph"):
        v1.graph_util.extract_sub_graph(graph.as_graph_def(), ["q"])
    with pytest.raises(TypeError, match="iterable"):
        v1.graph_util.extract_sub_graph(graph.as_graph_def(), "y")
