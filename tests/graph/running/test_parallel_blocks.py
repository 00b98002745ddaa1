"""Independent blocks of a graph on threads: the same results, and the same errors."""

import gc
import itertools
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gradtape as tf
from gradtape._src.compute.parallel import crew
from gradtape._src.core.primitive import Primitive
from gradtape._src.graph.ir.graph import Graph, Node, Symbol
from gradtape._src.graph.nested.graph_call import GraphCall
from gradtape._src.graph.running import interpreter
from gradtape._src.graph.running.interpreter import interpreted
from gradtape._src.graph.running.numpy_program import Program, blocks_p
from gradtape._src.graph.running.parallel_blocks import with_parallel_blocks

SCALAR = (), np.dtype(np.float64), SimpleNamespace(finished=True)


@pytest.fixture
def two_threads(monkeypatch):
    monkeypatch.setattr(crew, "together", 2)


def _combine(*xs):
    return np.float64(sum((i + 2) * x for i, x in enumerate(xs)) + 1)


combine = Primitive("Combine", _combine, tracked=0)


def graph_of(choices):
    """A graph whose node i uses the values that `choices[i]` names among all before it."""
    values = [Symbol(*SCALAR)]
    nodes = []
    for chosen in choices:
        inputs = [values[k % len(values)] for k in chosen]
        values.append(Symbol(*SCALAR))
        nodes.append(Node(combine, inputs, {}, [values[-1]], False))
    return Graph(values[:1], nodes, values[1:][-3:])


def blocks_in(graph):
    return [n.params["blocks"] for n in graph.nodes if n.primitive is blocks_p]


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.lists(st.integers(0, 40), max_size=3), min_size=1, max_size=30),
    st.lists(st.sampled_from([0.0, 1e-3, 2e-3]), min_size=30, max_size=30),
    st.integers(2, 4),
)
def test_any_graph_computes_what_it_computed(choices, times, threads):
    graph = graph_of(choices)
    seconds = {n.outputs[0]: t for n, t in zip(graph.nodes, times, strict=False)}
    divided = with_parallel_blocks(graph, seconds, threads)
    want = interpreted(graph, [np.float64(3)])
    assert Program(divided, "divided")([np.float64(3)]) == want
    assert all(2 <= len(b.programs) <= threads for b in blocks_in(divided))


def test_towers_are_blocks_and_a_chain_is_not():
    towers = graph_of([[0], [0], [1], [2], [3], [4], [5, 6]])
    chain = graph_of([[0], [1], [2], [3], [4], [5], [6]])
    for graph, expected in ((towers, [3, 3]), (chain, None)):
        seconds = {n.outputs[0]: 1e-3 for n in graph.nodes}
        found = blocks_in(with_parallel_blocks(graph, seconds, 2))
        sizes = [len(p.graph.nodes) for b in found for p in b.programs]
        assert sizes == (expected or [])


def test_small_operations_stay_where_they_are():
    graph = graph_of([[0], [0], [1], [2], [3], [4], [5, 6]])
    seconds = {n.outputs[0]: 1e-5 for n in graph.nodes}
    assert with_parallel_blocks(graph, seconds, 2).nodes == graph.nodes


def towers_step(size):
    rng = np.random.default_rng(0)
    towers = [
        [tf.Variable(rng.normal(size=(size, size)) / size**0.5) for _ in range(3)] for _ in range(2)
    ]

    def tower(x, weights):
        for w in weights:
            x = tf.tanh(x @ w)
        return x

    def step(x):
        with tf.GradientTape() as tape:
            first, second = [tower(x, weights) for weights in towers]
            loss = tf.reduce_mean((first - second) ** 2)
        weights = [*towers[0], *towers[1]]
        for w, g in zip(weights, tape.gradient(loss, weights), strict=True):
            w.assign_sub(0.1 * g)
        return loss

    return step


def measured_calls():
    """The graphs, with those of derivatives, whose operations were measured."""
    return [c for c in gc.get_objects() if isinstance(c, GraphCall) and c._seconds]


def test_a_training_step_of_two_towers(two_threads, monkeypatch):
    """Every operation seems to take a millisecond, however busy the machine is."""
    clock = itertools.count()
    monkeypatch.setattr(interpreter, "perf_counter", lambda: 1e-3 * next(clock))
    x = tf.constant(np.random.default_rng(1).normal(size=(300, 300)))
    eager, graph = towers_step(300), tf.function(towers_step(300))
    for _ in range(4):
        np.testing.assert_allclose(graph(x), eager(x), 1e-12)
    assert any(blocks_in(c.program.graph) for c in measured_calls())


def test_the_gradient_of_a_call(two_threads):
    x = tf.constant(np.random.default_rng(1).normal(size=(300, 300)))

    def f(x):
        return tf.reduce_sum(tf.tanh(x @ x) * tf.sin(x @ tf.transpose(x)))

    found = []
    for function in (f, tf.function(f)):
        for _ in range(3):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = function(x)
            found.append(tape.gradient(y, x))
    for g in found[1:]:
        np.testing.assert_allclose(g, found[0], 1e-10, 1e-10)


def test_an_error_in_a_block_names_its_operation(two_threads):
    graph = graph_of([[0], [0], [1], [2], [3], [4], [5, 6]])

    def fail(*xs):
        raise ValueError("no such value")

    broken = Primitive("Broken", fail, tracked=0)
    nodes = [*graph.nodes]
    nodes[3] = Node(broken, nodes[3].inputs, {}, nodes[3].outputs, False)
    seconds = {n.outputs[0]: 1e-3 for n in nodes}
    divided = with_parallel_blocks(graph.with_nodes(nodes), seconds, 2)
    assert blocks_in(divided)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Op:Broken") as raised:
        Program(divided, "divided")([np.float64(3)])
    assert raised.value.failed_node is nodes[3]


def test_one_thread_measures_nothing():
    assert tf.config.threading.get_inter_op_parallelism_threads() == 1
    x = tf.ones((3, 3))
    step = tf.function(lambda x: tf.sin(x @ x))
    before = measured_calls()
    for _ in range(2):
        step(x)
    assert {id(c) for c in measured_calls()} <= {id(c) for c in before}
