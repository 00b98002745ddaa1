"""Cuts: the places where gradients stop on the way to a target."""

import numpy as np
import pytest
from pictured_networks import cut_tape

import gradtape as tf


def cuts(graph):
    return {op.name: op.cut for op in graph.recording.shown if op.cut}


def test_cuts_are_named_with_their_cause_and_line():
    tape, loss = cut_tape()
    graph = tape.graph(loss)
    assert cuts(graph) == {
        "Round": "no derivative",
        "StopGradient": "counts as a constant",
        "Tensor.numpy()": "leaves for NumPy or Python",
        "assign state": "assigned to a variable",
    }
    places = {op.name: op.place.source.strip() for op in graph.recording.shown if op.cut}
    assert places["Tensor.numpy()"] == "n = np.mean((x * w).numpy(), axis=0)"
    assert places["Round"].startswith("return tf.round")


def test_cuts_stand_between_what_came_in_and_what_uses_them():
    tape, loss = cut_tape()
    ops = tape.graph(loss).recording.shown
    found = {op.name: op for op in ops if op.number < 0}
    made = {o: op for op in ops for o in op.outputs if o}
    assert made[found["Round"].inputs[0]].name == "Mul"
    assert made[found["StopGradient"].inputs[0]].name == "Sin"
    assert made[found["assign state"].inputs[0]].name == "Sum"
    for cut in found.values():
        assert any(cut.outputs[0] in op.inputs for op in ops if op.number >= 0)


def test_a_condition_is_no_fault():
    tape, loss = cut_tape()
    graph = tape.graph(loss)
    (condition,) = [op for op in graph.recording.shown if op.name == "Greater"]
    assert (condition.cut, condition.state) == ("", "side")


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (lambda x: tf.cast(tf.cast(x, tf.int32), tf.float32), "Cast"),
        (lambda x: tf.cast(tf.argmax(x), tf.float32), "ArgMax"),
        (tf.math.floor, "Floor"),
        (tf.stop_gradient, "StopGradient"),
    ],
)
def test_a_target_behind_a_cut_is_shown(function, name):
    x = tf.Variable([1.5, 2.5], name="x")
    with tf.debugging.explanations(), tf.GradientTape(persistent=True) as tape:
        y = function(x * 2.0)
    graph = tape.graph(y)
    assert list(cuts(graph)) == [name, "y"]
    assert cuts(graph)["y"] == "no gradient reaches the tape"
    assert [op.state for op in graph.recording.operations] == ["none"]
    assert tape.gradient(y, x) is None


def test_a_target_that_came_out_of_numpy():
    x = tf.Variable([1.0, 2.0], name="x")
    with tf.debugging.explanations(), tf.GradientTape(persistent=True) as tape:
        squares = x * x
        y = tf.constant(np.mean(squares.numpy()))
    assert list(cuts(tape.graph(y)))[1:] == ["y"]


def test_without_explanations_the_caption_says_how_to_see_more():
    x = tf.Variable(1.0, name="x")
    with tf.GradientTape(persistent=True) as tape:
        y = tf.round(x * 2.0)
    graph = tape.graph(y)
    assert "tf.debugging.explanations()" in graph.caption
    assert cuts(graph) == {"y": "is on no tape"}


def test_a_gradient_function_that_gives_none_is_a_cut():
    @tf.custom_gradient
    def stubborn(a):
        return a * 2.0, lambda _: None

    x = tf.Variable(1.0, name="x")
    with tf.GradientTape(persistent=True) as tape:
        y = stubborn(tf.sin(x))
    assert cuts(tape.graph(y)) == {"CustomGradient": "its own gradient is None"}


def test_a_path_without_cuts_has_none():
    x = tf.Variable([1.0, 2.0], name="x")
    with tf.debugging.explanations(), tf.GradientTape(persistent=True) as tape:
        y = tf.reduce_sum(tf.sin(x) * 2.0)
        float(y)
        tf.round(x)
    assert not cuts(tape.graph(y))
    assert len(tape.graph(y).recording.shown) == 3
