import pytest

import gradtape as tf
from gradtape._src.sessions.wrapped.wrapped_graph import WrappedGraph
from gradtape.compat import v1


def test_variables_begin_with_what_earlier_ones_have():
    graph = WrappedGraph()
    with graph.filled():
        first = v1.get_variable("first", initializer=2.0)
        tf.Variable(first.initialized_value() * 5.0, name="second", trainable=False)
    assert [(v.name, float(v), v.trainable) for v in graph.variables] == [
        ("first:0", 2.0, True),
        ("second:0", 10.0, False),
    ]


def test_a_first_value_that_depends_on_an_argument():
    graph = WrappedGraph()
    with (
        pytest.raises(tf.errors.InvalidArgumentError, match="placeholder"),
        graph.filled(),
    ):
        tf.Variable(v1.placeholder(tf.float32, []))


def failing(x):
    raise RuntimeError(f"mine, after {x}")


def test_an_error_leaves_outer_variables_as_they_were():
    v = tf.Variable(3.0)
    with pytest.raises(RuntimeError, match="mine"):
        v1.wrap_function(lambda: failing(v + 1.0), [])
    assert float(v + 1.0) == 4.0


def test_a_variable_without_a_first_value():
    with tf.Graph().as_default() as source:
        tf.multiply(tf.Variable(2.0, name="v"), 3.0, name="y")
    wrapped = v1.wrap_function(lambda: v1.import_graph_def(source.as_graph_def(), name=""), [])
    with pytest.raises(tf.errors.FailedPreconditionError, match="'v:0'"):
        wrapped.prune([], "y:0")
