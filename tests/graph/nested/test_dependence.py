"""The inputs of graphs on which their results depend differentiably."""

import numpy as np

import gradtape as tf
from gradtape._src.graph.nested.dependence import connected_inputs, graph_of, is_linear

SPECS = [((2,), np.dtype(np.float32))] * 2


def test_inputs_that_results_depend_on():
    graph = graph_of(lambda xs: [xs[0] * 2, tf.cast(xs[1], tf.int32)], SPECS)
    assert connected_inputs(graph) == [{0}, set()]


def test_what_is_linear_in_some_inputs():
    def choice(xs):
        return [tf.where(xs[0] > 0, 2 * xs[1], 0 * xs[1])]

    assert is_linear(graph_of(choice, SPECS), {1})
    assert not is_linear(graph_of(lambda xs: [xs[0] * xs[1]], SPECS), {1})
    assert is_linear(graph_of(lambda xs: [xs[0] + xs[1]], SPECS), {0, 1})
