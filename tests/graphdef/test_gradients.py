"""Nodes that name a registered gradient have this gradient in imported graphs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradtape as tf

v1 = tf.compat.v1


@tf.RegisterGradient("TenfoldOfInput")
def _tenfold(op: Any, gradient: Any) -> Any:
    return 10.0 * gradient * op.inputs[0]


@tf.RegisterGradient("OfPair")
def _of_pair(op: Any, a: Any, b: Any) -> Any:
    assert op.type == "IdentityN"
    return a + 2.0 * b + op.outputs[1], b * op.inputs[0]


def overridden(names: dict[str, str]) -> Any:
    """Returns the message of a graph with a square and a copy of "x"."""
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float64, [2], name="x")
        with graph.gradient_override_map(names):
            tf.square(x, name="y")
            tf.identity(x, name="z")
        return graph.as_graph_def()


def pair() -> Any:
    """Returns the message of a graph with an operation of two outputs that names a gradient."""
    message = overridden({})
    del message.node[1:]
    node = message.node.add(name="p", op="IdentityN", input=["x", "x"])
    node.attr["T"].list.type.extend([tf.float64.as_datatype_enum] * 2)
    node.attr["_gradient_op_type"].s = b"OfPair"
    return message


def test_nodes_name_their_gradients() -> None:
    message = overridden({"Square": "TenfoldOfInput"})
    named = {n.name: n.attr["_gradient_op_type"].s for n in message.node if len(n.attr) > 1}
    assert named["y"] == b"TenfoldOfInput"
    assert "_gradient_op_type" not in message.node[-1].attr


def test_the_gradient_that_a_node_names_is_used_to_any_order() -> None:
    message = overridden({"Square": "TenfoldOfInput"})
    with tf.Graph().as_default(), v1.Session() as session:
        x = tf.constant([1.0, 2.0], tf.float64)
        (y,) = tf.import_graph_def(message, {"x": x}, ["y:0"])
        (g,) = tf.gradients(y, x)
        assert session.run([y, g, *tf.gradients(g, x)])[1].tolist() == [10.0, 20.0]
        np.testing.assert_array_equal(session.run(tf.gradients(g, x)[0]), [10.0, 10.0])


def test_all_gradients_of_an_operation_are_passed() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        x = tf.constant([3.0, 5.0], tf.float64)
        p, q = tf.import_graph_def(pair(), {"x": x}, ["p:0", "p:1"])
        both, second = tf.gradients([p, q], x)[0], tf.gradients(q, x)[0]
        assert session.run(both).tolist() == [1.0 + 2.0 + 3.0 + 3.0, 1.0 + 2.0 + 5.0 + 5.0]
        assert session.run(second).tolist() == [2.0 + 3.0 + 3.0, 2.0 + 5.0 + 5.0]


def test_a_function_imports_a_graph_with_such_a_node() -> None:
    message = overridden({"Square": "TenfoldOfInput"})

    @tf.function
    def f(x: Any) -> Any:
        return tf.import_graph_def(message, {"x": x}, ["y:0"])[0]

    x = tf.constant([1.0, 2.0], tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert tape.gradient(y, x).numpy().tolist() == [10.0, 20.0]


def test_a_missing_gradient_is_an_error_only_if_it_is_asked_for() -> None:
    message = overridden({"Identity": "NobodyRegisteredThis"})
    with tf.Graph().as_default(), v1.Session() as session:
        x = tf.constant([1.0, 2.0], tf.float64)
        y, z = tf.import_graph_def(message, {"x": x}, ["y:0", "z:0"])
        assert session.run(z).tolist() == [1.0, 2.0]
        assert session.run(tf.gradients(y, x)[0]).tolist() == [2.0, 4.0]
        with pytest.raises(LookupError, match="No gradient defined"):
            tf.gradients(z, x)
