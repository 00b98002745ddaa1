"""The picture and the table of what a tape recorded."""

import re
import xml.etree.ElementTree as ET

import pytest
from pictured_networks import by_name

import gradtape as tf


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


SVG = "{http://www.w3.org/2000/svg}"


def rectangles(element, x=0.0, y=0.0):
    """Each rectangle of a drawing, where it lies after all translations."""
    moved = re.match(r"translate\(([-\d.]+),([-\d.]+)\)", element.get("transform", ""))
    if moved:
        x, y = x + float(moved[1]), y + float(moved[2])
    if element.tag == f"{SVG}rect":
        left, top = x + float(element.get("x")), y + float(element.get("y"))
        yield left, top, left + float(element.get("width")), top + float(element.get("height"))
    for child in element:
        yield from rectangles(child, x, y)


def within(a, b):
    return a[0] >= b[0] and a[1] >= b[1] and a[2] <= b[2] and a[3] <= b[3]


@pytest.mark.parametrize("depth", [0, 1, None])
def test_boxes_of_an_svg_are_apart_or_within_each_other(network, depth):
    tape, loss, _ = network
    root = ET.fromstring(tape.graph(loss, depth=depth).to_svg())
    boxes = list(rectangles(root))
    assert len(boxes) >= 5
    for i, a in enumerate(boxes):
        for b in boxes[i + 1 :]:
            apart = a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
            assert apart or within(a, b) or within(b, a)
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
    assert "1 operation," in tape.graph(y).caption
    tape.gradient(y, x)
    assert "nothing is left" in tape.graph().caption
    assert "<svg" in tape.graph().to_svg()


def test_a_tape_without_records_says_so():
    x = tf.Variable(1.5)
    with tf.GradientTape() as tape:
        y = tf.round(x)
    assert tape.graph(y).caption.startswith("nothing was recorded")


def test_errors(network):
    tape, loss, _ = network
    with pytest.raises(ValueError, match="max_nodes"):
        tape.graph(loss, max_nodes=0)
    with pytest.raises(TypeError, match="must be a tensor"):
        tape.graph(1.0)
