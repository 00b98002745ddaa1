"""The texts in the boxes of a picture."""

import pytest
from pictured_networks import NEEDS_KERAS, convolutions, lstm

import gradtape as tf


def shapes(graph):
    return {s.title: s for s in graph._shapes.values()}


@NEEDS_KERAS
def test_a_layer_says_what_is_in_it():
    tape, loss = lstm()
    found = shapes(tape.graph(loss, depth=1))
    memory = found["memory"]
    assert "20 iterations of a loop, 3 variables" in memory.lines[0]
    assert memory.kind == "layer"
    assert found["head"].lines[:2] == ["2 operations, 2 variables", "4\u00d75 float32"]
    assert (
        shapes(tape.graph(loss, depth=0))["sparse_categorical_crossentropy = loss"].kind == "target"
    )


@NEEDS_KERAS
def test_moving_averages_are_no_faults():
    tape, loss = convolutions()
    kinds = {s.kind for s in tape.graph(loss, depth=2)._shapes.values()}
    assert "side" in kinds
    assert not kinds & {"none", "cut", "nonfinite", "guilty"}
    assert shapes(tape.graph(loss, depth=1))["norm"].kind == "layer"


@NEEDS_KERAS
def test_shapes_are_those_of_the_results():
    tape, loss = lstm()
    grown = [op for op in tape.graph(loss).recording.operations if op.name == "Mul"]
    assert {op.shape for op in grown} == {(4, 16)}


def test_a_loop_shows_the_range_of_its_gradients():
    x = tf.Variable(1.0, name="x")
    with tf.GradientTape(persistent=True) as tape:
        y = x
        for _ in range(3):
            y = tf.sin(y) * 2.0
    found = shapes(tape.graph(y))
    assert found["Mul = y"].lines[0] == "3 times"
    assert " to " in found["Mul = y"].lines[-1]


def test_a_closed_box_names_the_variables_without_a_gradient():
    used, lost = tf.Variable(1.0, name="used"), tf.Variable(1.0, name="lost")
    with tf.GradientTape(persistent=True) as tape, tf.name_scope("layer"):
        tf.cos(lost)
        y = tf.sin(used) * used
    assert shapes(tape.graph(y, depth=0))["layer = y"].lines[-1] == "gradient None: lost"


def test_the_pointer_shows_line_shape_bytes_and_norm():
    x = tf.Variable([1.0, 2.0], name="x")
    with tf.debugging.explanations(), tf.GradientTape(persistent=True) as tape:
        y = tf.reduce_sum(tf.sin(x))
    tip = shapes(tape.graph(y, depth=2))["Sin"].tip
    for fact in ("test_descriptions.py, line", "tf.sin(x))", "2 float32", "|g| 1.41"):
        assert fact in tip


def test_the_pointer_says_how_to_get_the_line():
    x = tf.Variable([1.0, 2.0], name="x")
    with tf.GradientTape(persistent=True) as tape:
        y = tf.reduce_sum(tf.sin(x))
    assert "tf.debugging.explanations()" in shapes(tape.graph(y))["Sin"].tip


def test_depth_is_checked():
    x = tf.Variable(1.0)
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
    with pytest.raises(ValueError, match="depth"):
        tape.graph(y, depth=-1)
