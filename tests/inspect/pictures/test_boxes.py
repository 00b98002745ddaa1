"""Operations that are shown as one box."""

import threading
import xml.etree.ElementTree as ET

import numpy as np
from pictured_networks import NEEDS_KERAS, NETWORKS, convolutions, lstm

import gradtape as tf


def test_layers_are_folded(network):
    tape, loss, _ = network
    graph = tape.graph(loss, max_nodes=3)
    assert "dense" in graph.to_dot()
    assert "folded to" in graph.caption


def test_repetitions_are_folded():
    x = tf.Variable(1.0, name="x")
    with tf.GradientTape(persistent=True) as tape:
        y = x
        for _ in range(100):
            y = tf.sin(y) * 2.0
    graph = tape.graph(y)
    assert "100 \u00d7 Sin, Mul" in graph.to_dot()
    assert "200 operations, folded to 2" in graph.caption


def test_a_large_tape_without_a_pattern():
    random = np.random.default_rng(0)
    x = tf.Variable(1.0, name="x")
    with tf.GradientTape(persistent=True) as tape:
        values = [x * 1.0, x * 2.0]
        for _ in range(600):
            a, b = (values[-1 - int(k)] for k in random.integers(0, 2, 2))
            values.append([tf.sin(a), a * b * 0.5, a + b][int(random.integers(3))])
    graph = tape.graph(values[-1], max_nodes=20)
    assert len(graph._shapes) <= 25
    ET.fromstring(graph.to_svg())


@NEEDS_KERAS
@NETWORKS
def test_every_operation_is_in_exactly_one_box(network):
    tape, loss = network()
    graph = tape.graph(loss)
    leaves = [op.number for b in graph.root.every() if b.leaf for op in b.operations]
    assert sorted(leaves) == [op.number for op in graph.recording.operations]
    for box in graph.root.every():
        if not box.leaf:
            inner = [op.number for part in box.parts for op in part.operations]
            assert sorted(inner) == sorted(op.number for op in box.operations)


@NEEDS_KERAS
def test_an_lstm_is_its_layers_and_one_loop():
    tape, loss = lstm()
    graph = tape.graph(loss)
    net, head_of_loss = graph.root.parts
    assert net.title == "net"
    assert head_of_loss.title == "sparse_categorical_crossentropy"
    assert [b.title for b in net.parts] == ["words", "memory", "head"]
    (loop,) = [b for b in net.parts[1].every() if b.kind == "loop"]
    assert loop.times == 20
    assert {len(b.operations) for b in loop.parts} == {20}
    assert sorted(set(loop.iterations.values())) == list(range(20))
    assert len(graph.recording.operations) > 200
    assert len(graph._shapes) < 20


@NEEDS_KERAS
def test_layers_of_one_operation_are_that_operation():
    tape, loss = convolutions()
    net = tape.graph(loss).root.parts[0]
    names = [(b.title, b.leaf) for b in net.parts]
    assert names == [
        ("conv", False), ("norm", False), ("relu", True), ("pool", True), ("head", False)
    ]  # fmt: skip


def test_calls_of_one_layer_in_a_loop_are_its_iterations():
    x = tf.Variable(1.0, name="x")
    with tf.GradientTape(persistent=True) as tape:
        y = x
        for _ in range(5):
            with tf.name_scope("cell"):
                y = tf.sin(y) * 2.0
    (loop,) = tape.graph(y).root.parts
    assert (loop.title, loop.kind, loop.times) == ("cell", "loop", 5)
    assert [b.title for b in loop.parts] == ["Sin", "Mul"]


def test_loops_in_loops():
    x = tf.Variable(1.0, name="x")
    with tf.GradientTape(persistent=True) as tape:
        y = x
        for _ in range(4):
            for _ in range(6):
                y = tf.sin(y)
            y = tf.exp(-y)
    (outer,) = tape.graph(y).root.parts
    assert outer.times == 4
    inner, negative, exponential = outer.parts
    assert (inner.kind, inner.times, len(inner.operations)) == ("loop", 6, 24)
    assert len(negative.operations) == len(exponential.operations) == 4


def test_few_equal_operations_are_no_loop():
    x = tf.Variable(1.0, name="x")
    with tf.GradientTape(persistent=True) as tape:
        y = tf.cos(tf.sin(tf.cos(tf.sin(x))))
    assert [b.title for b in tape.graph(y).root.parts] == ["Sin", "Cos", "Sin", "Cos"]


def test_functions_are_boxes():
    x = tf.Variable(1.0, name="x")

    @tf.function
    def compiled(a):
        return tf.sin(a) * a

    @tf.custom_gradient
    def scaled(a):
        return a * 2.0, lambda g: g * 2.0

    with tf.GradientTape(persistent=True) as tape:
        compiled(x)
        y = scaled(compiled(x))
    assert [b.title for b in tape.graph(y).root.parts] == ["compiled", "compiled", "Mul", "scaled"]


def test_the_mode_makes_boxes_of_the_functions_of_the_program():
    x = tf.Variable(1.0, name="x")

    class Layer(tf.Module):
        def __call__(self, a):
            return tf.sin(a) * a

    def model(a):
        return tf.exp(Layer(name="wave")(a))

    with tf.debugging.explanations(), tf.GradientTape(persistent=True) as tape:
        y = model(x)
    names = [b.title for b in tape.graph(y).root.every() if not b.leaf]
    assert names[-2:] == ["model", "wave"]


def test_scopes_of_another_thread_are_not_those_of_this_one():
    x = tf.Variable(1.0, name="x")
    scopes = []
    with tf.name_scope("here"):
        worker = threading.Thread(target=lambda: scopes.append(tf.name_scope("there").__enter__()))
        worker.start()
        worker.join()
        with tf.GradientTape(persistent=True) as tape:
            y = tf.sin(x) * x
    assert [b.title for b in tape.graph(y).root.parts] == ["here"]
