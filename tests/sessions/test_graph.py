import gc
import weakref

import numpy as np
import pytest

import gradtape as tf
from gradtape.compat import v1


def test_operations_have_names():
    graph = tf.Graph()
    with graph.as_default():
        x = v1.placeholder(tf.float32, [2], name="x")
        with tf.name_scope("a"):
            y = x + 1.0
        z = tf.identity(y, name="z")
    names = [op.name for op in graph.get_operations()]
    assert names == ["x", "a/add/y", "a/add", "z"]
    assert graph.get_tensor_by_name("a/add:0") == y
    assert graph.get_operation_by_name("z").inputs[0] == y
    assert z.op.type == "Identity"
    assert z.graph is graph
    with pytest.raises(KeyError, match="lacking"):
        graph.get_operation_by_name("lacking")


def test_tensors_are_keys():
    with tf.Graph().as_default():
        x, y = tf.constant(1.0), tf.constant(1.0)
    assert {x: 1, y: 2}[x] == 1
    assert (x == y) is False
    assert (x != y) is True
    assert x in [y, x]


def test_a_finalized_graph_takes_no_more_operations():
    graph = tf.Graph()
    with graph.as_default():
        v = tf.Variable(1.0)
        change = v.assign_add(1.0)
        graph.finalize()
        assert graph.finalized
        for make in (lambda: tf.constant(1.0), lambda: v + 1.0, lambda: tf.group()):
            with pytest.raises(RuntimeError, match="finalized"):
                make()
    with v1.Session(graph=graph) as session:
        session.run(v.initializer)
        assert session.run(change) == 2.0


def test_control_dependencies_run_before():
    with tf.Graph().as_default():
        v = tf.Variable(0.0)
        with tf.control_dependencies([v.assign_add(1.0)]):
            inside = v.read_value()
            with tf.control_dependencies([v.assign_add(1.0)]):
                both = tf.identity(v)
            with tf.control_dependencies(None):
                none = tf.identity(v)
        assert inside.op.control_inputs[0].type == "AssignAddVariableOp"
        with v1.Session() as session:
            session.run(v.initializer)
            assert session.run(none) == 0.0
            assert session.run(inside) == 1.0
            assert session.run(both) == 3.0


def test_collections():
    graph = tf.Graph()
    with graph.as_default():
        v1.add_to_collection("mine", 3)
        v1.get_collection_ref("mine").append(4)
        x = tf.constant(1.0, name="scope/x")
        v1.add_to_collections(["mine", "others"], x)
        assert v1.get_collection("mine") == [3, 4, x]
        assert v1.get_collection("mine", "scope") == [x]
    assert graph.get_all_collection_keys() == ["mine", "others"]
    graph.clear_collection("mine")
    assert graph.get_collection("mine") == []


def test_what_a_graph_element_may_be():
    graph = tf.Graph()
    with graph.as_default():
        v = tf.Variable(1.0, name="v")
        assert graph.as_graph_element(v).name == "v/Read/ReadVariableOp:0"
        assert graph.as_graph_element("v").type == "VarHandleOp"
    with pytest.raises(TypeError, match="Can not convert a float"):
        graph.as_graph_element(1.0)


@pytest.mark.slow
def test_nothing_keeps_a_graph_that_nobody_has():
    def make():
        graph = tf.Graph()
        with graph.as_default(), v1.Session() as session:
            v = tf.Variable(np.ones(3))
            session.run(v.initializer)
            session.run(tf.gradients(tf.reduce_sum(v * v), [v]))
        return weakref.ref(graph)

    found = make()
    gc.collect()
    assert found() is None


def test_functions_are_written_out():
    @tf.function
    def twice(x):
        if x > 0.0:
            x = x * 2.0
        return x

    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [])
        y = twice(x)
        with v1.Session() as session:
            assert session.run(y, {x: 3.0}) == 6.0
            assert session.run(y, {x: -3.0}) == -3.0
