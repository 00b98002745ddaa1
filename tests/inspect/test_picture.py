"""The picture and the table of what a tape recorded."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest

import gradtape as tf


@pytest.fixture
def network():
    """A tape with two layers, an input that is watched, and a variable that plays no part."""
    w = tf.Variable(np.ones((8, 16), np.float32), name="dense/kernel")
    b = tf.Variable(np.zeros(16, np.float32), name="dense/bias")
    v = tf.Variable(np.ones((16, 4), np.float32), name="head/kernel")
    lost = tf.Variable(1.0, name="lost")
    x = tf.constant(np.ones((32, 8), np.float32))
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        h = tf.nn.relu(x @ w + b)
        loss = tf.reduce_mean((h @ v) ** 2)
        lost * 2.0
    return tape, loss, x


def by_name(graph):
    return {op.name: op for op in graph.recording.operations}


def test_gradient_norms(network):
    tape, loss, x = network
    graph = tape.graph(loss)
    values = {v.name: v for v in graph.recording.values.values()}
    g = tape.gradient(loss, x)
    assert values["x"].norm == pytest.approx(float(tf.norm(g)), rel=1e-5)
    assert values["lost"].state == "none"
    assert "gradient None" in graph.to_svg()
    assert by_name(graph)["Mean"].norm == 1.0
    assert "loss" in graph.to_dot()


def test_what_is_not_finite_is_marked():
    x = tf.Variable([0.0, 1.0], name="x")
    with tf.GradientTape(persistent=True) as tape:
        y = tf.reduce_sum(tf.sqrt(x))
    graph = tape.graph(y)
    (value,) = graph.recording.values.values()
    assert value.state == "nonfinite"
    assert "gradient not finite" in graph.to_svg()


def test_svg_is_well_formed_and_boxes_do_not_overlap(network):
    tape, loss, _ = network
    root = ET.fromstring(tape.graph(loss).to_svg())
    boxes = [
        [float(r.get(k)) for k in ("x", "y", "width", "height")]
        for r in root.iter("{http://www.w3.org/2000/svg}rect")
    ]
    assert len(boxes) == 7 + 5
    for i, (x, y, w, h) in enumerate(boxes):
        for x2, y2, w2, h2 in boxes[i + 1 :]:
            assert x + w <= x2 or x2 + w2 <= x or y + h <= y2 or y2 + h2 <= y
    assert tape.graph()._repr_svg_().startswith("<svg")


def test_dot_and_mermaid(network):
    tape, loss, _ = network
    graph = tape.graph(loss)
    assert graph.to_dot().startswith("digraph tape {")
    assert graph.to_dot().count(" -> ") == graph.to_mermaid().count(" --> ") == 10
    assert graph.to_mermaid().startswith("flowchart TD")
    assert "|g|" not in graph.to_mermaid()  # a bar would end a label


def test_save(network, tmp_path):
    graph = network[0].graph()
    for ending in ("svg", "dot", "mmd", "md"):
        graph.save(tmp_path / f"tape.{ending}")
        assert (tmp_path / f"tape.{ending}").read_text()
    with pytest.raises(ValueError, match="must end in"):
        graph.save(tmp_path / "tape.png")


def test_a_used_tape_says_so():
    x = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = x * x
    assert "1 operations" in tape.graph(y).caption
    tape.gradient(y, x)
    assert "nothing recorded" in tape.graph().caption
    assert "<svg" in tape.graph().to_svg()


def test_errors(network):
    tape, loss, _ = network
    with pytest.raises(ValueError, match="max_nodes"):
        tape.graph(loss, max_nodes=0)
    with pytest.raises(TypeError, match="must be a tensor"):
        tape.graph(1.0)
