"""Placeholders and variables of imported graphs."""

from __future__ import annotations

from typing import Any

import pytest

import gradtape as tf

v1 = tf.compat.v1


def _again(make: Any, **options: Any) -> Any:
    """Imports the results made in one graph into the current graph."""
    with tf.Graph().as_default() as graph:
        make()
        message = graph.as_graph_def()
    return tf.import_graph_def(message, name="", **options)


def test_placeholders_are_fed_and_have_their_shapes() -> None:
    def make() -> None:
        v1.placeholder(tf.float64, [None, 3], name="a")
        v1.placeholder(tf.int32, name="b")
        v1.placeholder_with_default(tf.constant([1.0]), [None], name="c")

    with tf.Graph().as_default(), v1.Session() as session:
        a, b, c = _again(make, return_elements=["a:0", "b:0", "c:0"])
        assert (a.shape.as_list(), b.shape.rank, c.shape.as_list()) == ([None, 3], None, [None])
        assert session.run([a, b, c], {a: [[1, 2, 3]], b: [[4]]})[1].tolist() == [[4]]
        assert session.run(c).tolist() == [1.0]
        assert session.run(c, {c: [5.0, 6.0]}).tolist() == [5.0, 6.0]
        with pytest.raises(tf.errors.InvalidArgumentError, match="placeholder tensor 'a'"):
            session.run(a)


def test_variables_have_a_value_in_each_session() -> None:
    def make() -> None:
        v = tf.Variable([1.0, 2.0], name="v")
        v1.assign_add(v, [1.0, 1.0], name="more")
        v1.is_variable_initialized(v)

    with tf.Graph().as_default() as graph:
        _again(make)
        start = graph.get_operation_by_name("v/Assign")
        for _ in range(2):
            with v1.Session() as session:
                is_there = "v/IsInitialized/VarIsInitializedOp:0"
                assert not session.run(is_there)
                with pytest.raises(tf.errors.FailedPreconditionError, match="variable v"):
                    session.run("v/Read/ReadVariableOp:0")
                session.run(start)
                assert session.run(is_there)
                assert session.run("v/Read/ReadVariableOp:0").tolist() == [1.0, 2.0]


def test_variables_of_one_name_are_one() -> None:
    with tf.Graph().as_default() as graph, v1.Session() as session:
        v = tf.Variable([1.0, 2.0], name="v")
        message = graph.as_graph_def()
        (read,) = tf.import_graph_def(message, return_elements=["v/Read/ReadVariableOp:0"])
        session.run(v.initializer)
        session.run(v.assign([5.0, 6.0]))
        assert session.run(read).tolist() == [5.0, 6.0]
        assert read.name == "import/v/Read/ReadVariableOp:0"


def test_shapes_of_variables() -> None:
    with tf.Graph().as_default() as graph, v1.Session() as session:
        v = tf.Variable([[1.0, 2.0, 3.0]], name="v")
        message = graph.as_graph_def()
        node = message.node.add(name="shape", op="VariableShape", input=["v"])
        node.attr["out_type"].type = tf.int64.as_datatype_enum
        (shape,) = tf.import_graph_def(message, return_elements=["shape:0"])
        assert (shape.dtype, session.run(shape).tolist()) == (tf.int64, [1, 3])
        assert v.shape == [1, 3]
