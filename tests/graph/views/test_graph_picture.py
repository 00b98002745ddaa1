"""Pictures of graphs."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree as ET

import gradtape as tf


def test_a_picture_has_boxes_for_scopes_and_calls() -> None:
    v = tf.Variable(2.0)

    @tf.function
    def inner(x: Any) -> Any:
        return tf.exp(x) * v

    @tf.function
    def outer(x: Any) -> Any:
        with tf.name_scope("layer"):
            y = tf.exp(x) - tf.sin(x)
        return inner(y) + 1.0

    graph = outer.get_concrete_function(tf.TensorSpec([])).graph
    svg = graph.svg()
    root = ET.fromstring(svg)
    texts = [node.text for node in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"x", "layer", "inner", "add", "Identity"} <= set(texts)
    assert "3 operations" in texts
    tips = [node.text or "" for node in root.iter("{http://www.w3.org/2000/svg}title")]
    assert any(tip.endswith("return inner(y) + 1.0") for tip in tips)
    assert graph._repr_svg_() == svg
    assert "n0 ->" in graph.picture().to_dot()
