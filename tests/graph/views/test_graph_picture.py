"""Pictures of graphs."""

from __future__ import annotations

import re
from pathlib import Path
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
    assert {"x", "layer", "inner", "add", "outer: 7 operations"} <= set(texts)
    tips = [node.text or "" for node in root.iter("{http://www.w3.org/2000/svg}title")]
    assert any(tip.endswith("return inner(y) + 1.0") for tip in tips)
    assert graph._repr_svg_() == svg


def _texts(svg: str) -> list[str]:
    root = ET.fromstring(svg)
    return [node.text or "" for node in root.iter("{http://www.w3.org/2000/svg}text")]


def test_choices_and_loops_show_what_they_run() -> None:
    @tf.function
    def f(xs: Any, limit: Any) -> Any:
        total = tf.zeros([2])
        for x in xs:
            total += tf.exp(x)
        while tf.reduce_sum(total) < limit:
            if total[0] > 3.0:
                total = tf.sin(total)
            total = total * 2.0
        return total

    graph = f.get_concrete_function(tf.TensorSpec([5, 2]), tf.TensorSpec([])).graph
    written = graph.picture().to_mermaid()
    for title in ("Scan of 5 iterations", "While", "If", "body", "cond"):
        assert f'["{title}"]' in written
    assert "true<br/>Sin<br/>2 float32" in written  # the only operation of the branch
    number = {name: n for n, name in re.findall(r'n(\d+)\("(\w+)<br', written)}
    assert f"n{number['xs']} --> n{number['Exp']}" in written  # into a part


def test_boxes_are_of_single_layers_where_these_are_few() -> None:
    weights = [tf.Variable(tf.ones([3, 3]), name=f"w{i}") for i in range(2)]

    @tf.function
    def f(x: Any) -> Any:
        with tf.name_scope("model"):
            for i, w in enumerate(weights):
                with tf.name_scope(f"dense_{i}"):
                    x = tf.tanh(x @ w)
        return x

    picture = f.get_concrete_function(tf.TensorSpec([None, 3])).graph.picture()
    assert {"model", "dense_0", "dense_1", "Tanh", "w0", "w1"} <= set(_texts(picture.to_svg()))
    assert "w0<br/>3\u00d73 float32" in picture.to_mermaid()
    assert "Tanh<br/>?\u00d73 float32" in picture.to_mermaid()


def test_what_python_repeats_is_one_box() -> None:
    @tf.function
    def f(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in range(40):
                y = tf.sin(y)
        return tape.gradient(y, x)

    picture = f.get_concrete_function(tf.TensorSpec([2])).graph.picture()
    assert {"40 \u00d7 Sin", "40 \u00d7 Cos, Mul"} <= set(_texts(picture.to_svg()))
    assert picture.to_dot().count("->") == 4


def test_boxes_open_on_a_page(tmp_path: Path) -> None:
    f = tf.function(lambda x: tf.exp(x))
    f.get_concrete_function(tf.TensorSpec([2])).graph.picture().save(tmp_path / "graph.html")
    page = (tmp_path / "graph.html").read_text()
    assert "<script>" in page
    assert '"kind":"input"' in page


def test_tips_tell_line_and_type() -> None:
    @tf.function
    def f(x: Any) -> Any:
        return tf.exp(x)

    root = ET.fromstring(f.get_concrete_function(tf.TensorSpec([7])).graph.svg())
    tips = [node.text or "" for node in root.iter("{http://www.w3.org/2000/svg}title")]
    assert any(t.startswith("7 float32\n") and t.endswith(": return tf.exp(x)") for t in tips)
