"""The operations of a graph, run one by one on tensors."""

import numpy as np

import gradtape as tf
from gradtape._src.graph.tracing.replay import called, replay, run_node


def graph_of(function, *specs):
    traced = tf.function(function, input_signature=list(specs))
    traced.get_concrete_function()
    (trace,) = traced._traces().traces.values()
    return trace.graph


def test_tapes_see_each_operation():
    graph = graph_of(lambda x: tf.reduce_sum(tf.sin(x) * x), tf.TensorSpec([2]))
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        (y,) = replay(graph, [x])
    np.testing.assert_allclose(y, np.sum(np.sin([1.0, 2.0]) * [1, 2]), rtol=1e-6)
    expected = np.cos(x.numpy()) * x.numpy() + np.sin(x.numpy())
    np.testing.assert_allclose(tape.gradient(y, x), expected, rtol=1e-6)


def test_parameters_that_depend_on_unknown_lengths_get_the_actual_ones():
    graph = graph_of(lambda x: tf.reshape(x * 2.0, [-1]), tf.TensorSpec([None, 3]))
    for n in (1, 4):
        (y,) = replay(graph, [tf.ones([n, 3])])
        assert y.shape == (3 * n,)


def test_variables_are_read_and_written_in_order():
    v = tf.Variable(1.0)

    def double_and_add(x):
        v.assign(v * 2.0)
        return v + x

    graph = graph_of(double_and_add, tf.TensorSpec([]))
    outs = [float(replay(graph, [tf.constant(0.5)])[0]) for _ in range(2)]
    assert outs == [2.5, 4.5]
    assert v.numpy() == 4.0


def test_another_function_may_run_the_operations():
    graph = graph_of(lambda x: tf.exp(x) + 1.0, tf.TensorSpec([]))
    names = []

    def run(node, given, lengths):
        names.append(node.primitive.name)
        return run_node(node, given, lengths)

    replay(graph, [tf.constant(0.0)], run=run)
    assert names == ["Exp", "AddV2"]


def test_a_called_graph_becomes_a_part_of_the_one_that_is_traced():
    inner = graph_of(lambda x: tf.sin(x), tf.TensorSpec([]))
    outer = graph_of(lambda x: called("inner", inner, [x * 2.0])[0], tf.TensorSpec([]))
    assert [node.primitive.name for node in outer.nodes] == ["Mul", "Sin"]
