"""Graphs of TensorFlow, imported into graphs here, give what sessions of TensorFlow gave."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradtape as tf

v1 = tf.compat.v1
RECORDED: dict[str, Any] = json.loads(
    Path(__file__).with_name("recorded_graphs.json").read_text(encoding="utf-8")
)


def message_of(name: str) -> Any:
    return v1.GraphDef.FromString(base64.b64decode(RECORDED[name]["graph"]))


@pytest.mark.parametrize("name", RECORDED)
def test_a_session_gives_what_one_of_tensorflow_gave(name: str) -> None:
    recorded = RECORDED[name]
    with tf.Graph().as_default() as graph, v1.Session() as session:
        tf.import_graph_def(message_of(name), name="")
        session.run(graph.get_operation_by_name(recorded["start"]))
        for expected in recorded["runs"]:
            found = session.run(recorded["fetches"], recorded["feeds"])
            for which, a, b in zip(recorded["fetches"], found, expected, strict=True):
                if b is None:
                    assert a is None
                else:
                    wanted = np.reshape(b, np.shape(a))
                    np.testing.assert_allclose(a, wanted, 2e-5, 1e-6, err_msg=which)


@pytest.mark.parametrize("name", [x for x in RECORDED if x != "control_flow_of_switches"])
def test_what_was_imported_is_written_as_it_was(name: str) -> None:
    message = message_of(name)
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(message, name="")
        written = graph.as_graph_def()
    assert {n.name: n for n in written.node} == {n.name: n for n in message.node}
    names = [f.signature.name for f in written.library.function]
    assert sorted(names) == sorted(f.signature.name for f in message.library.function)


def test_what_became_functions_is_written_so_that_it_can_be_imported_again() -> None:
    recorded = RECORDED["control_flow_of_switches"]
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(message_of("control_flow_of_switches"), name="")
        again = graph.as_graph_def()
    assert not {"Switch", "Merge", "Enter", "Exit"} & {n.op for n in again.node}
    with tf.Graph().as_default(), v1.Session() as session:
        tf.import_graph_def(again, name="")
        found = session.run(recorded["fetches"], recorded["feeds"])
    np.testing.assert_allclose(found, recorded["runs"][0], 1e-6)


def test_derivatives_are_taken_of_what_was_imported() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None, 2])
        message = message_of("adam")
        loss, start = tf.import_graph_def(message, {"x:0": x}, ["loss:0", "w/Assign"], name="again")
        (g,) = tf.gradients(loss, x)
        (second,) = tf.gradients(g, x)
        session.run(start)
        given = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)
        w = np.array([[1.0], [2.0]], np.float32)
        rest = given @ w - 1.0
        found, again = session.run([g, second], {x: given})
    np.testing.assert_allclose(found, rest @ w.T, 1e-5)
    np.testing.assert_allclose(again, np.tile(w.sum() * w.T, (2, 1)), 1e-5)


def test_lengths_need_not_be_equal_as_they_were_in_the_first_run() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        tf.import_graph_def(message_of("lengths_that_differ"), name="")
        for n, m in ((1, 3), (3, 1), (2, 2)):
            x, y = np.ones((n, 2), np.float32), np.full((m, 2), 2.0, np.float32)
            assert session.run("total:0", {"x:0": x, "y:0": y}).tolist() == [6.0] * max(n, m)


def test_a_function_imports_a_graph() -> None:
    definition = message_of("calls_of_functions")
    last = next(n.name for n in definition.node if n.op.endswith("PartitionedCall"))

    @tf.function
    def g(x: Any) -> Any:
        (h,) = tf.import_graph_def(definition, {"x": x}, [f"{last}:0"], name="in")
        return h * 2.0

    x = tf.constant([[1.0, 2.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = g(x)
    assert y.numpy().tolist() == [[6.0, 12.0]]
    assert tape.gradient(y, x).numpy().tolist() == [[6.0, 6.0]]
    assert g(-x).numpy().tolist() == [[-8.0, -10.0]]
