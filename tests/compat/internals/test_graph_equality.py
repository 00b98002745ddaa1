"""Comparisons of graphs; which ones are equal is TensorFlow's answer."""

import pytest

import gradtape as tf

equal = tf.__internal__.graph_util.graph_defs_equal
check = tf.test.assert_equal_graph_def


def graph(value, op=tf.add, more=False):
    with tf.Graph().as_default() as made:
        x = tf.constant(value, name="x")
        y = op(x, x, name="y")
        if more:
            tf.identity(y, name="z")
    return made.as_graph_def()


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (graph(2.0), "attr 'value'"),
        (graph(1.0, tf.multiply), "op 'AddV2' that is not expected 'Mul'"),
        (graph(1.0, more=True), "Did not find expected node 'z'"),
    ],
)
def test_different_graphs(other, said):
    one = graph(1.0)
    assert equal(one, one)
    assert not equal(one, other)
    check(one, graph(1.0))
    with pytest.raises(AssertionError, match=said):
        check(other, one)


def test_the_order_of_nodes_does_not_count():
    one, other = graph(1.0), graph(1.0)
    nodes = list(other.node)
    del other.node[:]
    other.node.extend(reversed(nodes))
    check(one, other)
    assert equal(one, other)


def test_nan_equals_nan_on_demand():
    one = graph(float("nan"))
    assert not equal(one, one)
    assert equal(one, one, treat_nan_as_equal=True)
    check(one, one)


def test_other_objects_are_refused():
    with pytest.raises(TypeError, match="graph_def_2"):
        equal(graph(1.0), 1)
    with pytest.raises(TypeError, match="for expected, got int"):
        check(1, graph(1.0))
