"""The page of a profile needs nothing else, and shows what was found."""

from __future__ import annotations

import gc
import json
import re
from html.parser import HTMLParser

import pytest

import gradtape as tf
from gradtape._src.profiling.page import flame_tree, page
from gradtape._src.profiling.recording import Recording


@pytest.fixture(scope="module")
def report():
    """A report without a garbage collection, beside which the operations would be too short."""
    x = tf.Variable(tf.ones((50, 50)))
    gc.disable()
    try:
        with Recording() as recording:
            with tf.GradientTape() as tape, tf.name_scope("<dense>"):
                y = tf.reduce_sum(tf.matmul(x, x))  # a <hot> line
            tape.gradient(y, x)
    finally:
        gc.enable()
    return recording.report


def test_it_loads_nothing(report):
    text = page(report)
    assert not re.search(r"(?:src|href)=|url\((?!#)|@import|https?://(?!www\.w3\.org)", text)


def test_tags_are_closed(report):
    class Parser(HTMLParser):
        def __init__(self):
            super().__init__()
            self.open = []

        def handle_starttag(self, tag, attrs):
            if tag not in {"meta", "br"}:
                self.open.append(tag)

        def handle_endtag(self, tag):
            assert self.open.pop() == tag

    parser = Parser()
    parser.feed(page(report))
    assert parser.open == []


def test_names_of_the_program_are_text(report):
    text = page(report)
    assert "<dense>" not in text
    assert "<hot>" not in text
    assert "&lt;hot&gt;" in text


def test_all_parts_are_there(report):
    text = page(report)
    for title in ("Where the time goes", "Flame graph", "Memory over time", "Hot lines", "Tables"):
        assert f"<h2>{title}</h2>" in text
    assert "<polygon" in text
    assert "<h2>The first tape</h2>" in text


def boxes(box):
    yield box
    for inside in box["c"]:
        yield from boxes(inside)


def test_the_flame_graph_adds_up(report):
    tree = flame_tree(report)
    assert tree["v"] == pytest.approx(report.wall * 1e9)
    for box in boxes(tree):
        assert sum(inside["v"] for inside in box["c"]) <= box["v"]
    assert {"<dense>", "MatMul", "tape.gradient"} <= {box["n"] for box in boxes(tree)}
    (data,) = re.findall(r"const tree = (.*);\n", page(report))
    assert json.loads(data) == json.loads(json.dumps(tree))


def test_a_profile_of_nothing():
    with Recording() as recording:
        pass
    recording._samples.counts.clear()  # a busy machine may take one
    text = page(recording.report)
    assert "No operation made an array." in text
    assert "No line of the program took time." in text
