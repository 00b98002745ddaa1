"""Summaries of imported graphs are those of the graphs that were written out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradtape as tf

v1 = tf.compat.v1
PICTURES = np.linspace(-1, 1, 2 * 3 * 4).reshape(2, 3, 4, 1).astype("f4")
KINDS: dict[str, tuple[Any, Any]] = {
    "scalar": (lambda x: v1.summary.scalar("s", x), 2.5),
    "histogram": (lambda x: v1.summary.histogram("h", x), [1.0, 2.0, -3.0]),
    "image": (lambda x: v1.summary.image("i", x, 2), PICTURES),
    "one image": (lambda x: v1.summary.image("i", x, 1), PICTURES),
    "audio": (lambda x: v1.summary.audio("a", x, 100.0, 1), PICTURES[0, ..., 0]),
    "tensor": (lambda x: v1.summary.tensor_summary("t", x, display_name="shown"), [[1.0]]),
    "text": (lambda x: v1.summary.text("w", tf.as_string(x)), 3.0),
    "merged": (
        lambda x: v1.summary.merge([v1.summary.scalar("a", x), v1.summary.scalar("b", x + 1)]),
        0.5,
    ),
}


@pytest.mark.parametrize("what", KINDS)
def test_summaries_are_imported(what: str) -> None:
    make, value = KINDS[what]
    with tf.Graph().as_default() as graph, v1.Session() as session:
        x = v1.placeholder(tf.float32, None, "x")
        made = make(x)
        wanted = session.run(made, {x: value})
    with tf.Graph().as_default() as other, v1.Session() as session:
        tf.import_graph_def(graph.as_graph_def(), name="")
        assert session.run(made.name, {"x:0": value}) == wanted
        again = other.as_graph_def()
    with tf.Graph().as_default(), v1.Session() as session:
        tf.import_graph_def(again, name="")
        assert session.run(made.name, {"x:0": value}) == wanted
    assert len(tf.compat.v1.Summary.FromString(wanted).value) >= 1


def test_several_numbers_in_one_summary() -> None:
    """TensorFlow's operation takes a tag for each number."""
    message = v1.GraphDef()
    tags, numbers = tf.make_tensor_proto(["a", "b"]), tf.make_tensor_proto([1.0, 2.0])
    for name, value in (("tags", tags), ("values", numbers)):
        node = message.node.add(name=name, op="Const")
        node.attr["dtype"].type = value.dtype
        node.attr["value"].tensor.CopyFrom(value)
    made = message.node.add(name="s", op="ScalarSummary", input=["tags", "values"])
    made.attr["T"].type = numbers.dtype
    with tf.Graph().as_default(), v1.Session() as session:
        tf.import_graph_def(message, name="")
        found = tf.compat.v1.Summary.FromString(session.run("s:0"))
    assert [(x.tag, x.simple_value) for x in found.value] == [("a", 1.0), ("b", 2.0)]
