import gradtape as tf
from gradtape._src.sessions.wrapped.graph_parts import GraphPart
from gradtape._src.sessions.wrapped.wrapped_graph import WrappedGraph
from gradtape.compat import v1


def test_only_what_is_needed_runs():
    graph = WrappedGraph()
    with graph.filled():
        x = v1.placeholder(tf.float32, [])
        v = v1.get_variable("v", initializer=1.0)
        change = v.assign_add(x, read_value=False)
        with tf.control_dependencies([change]):
            after = v.read_value() * 10.0
        before = tf.identity(x) + 1.0
    first = GraphPart(graph, [x._value], [before._value])
    second = GraphPart(graph, [x._value], [after._value])
    two = tf.constant(2.0)
    assert [float(y) for y in first.run([two])] == [3.0]
    assert float(graph.variables[0]) == 1.0
    assert [float(y) for y in second.run([two])] == [30.0]
    assert float(graph.variables[0]) == 3.0


def test_what_a_session_asks_of_a_variable():
    graph = WrappedGraph()
    with graph.filled():
        v = v1.get_variable("v", initializer=1.0)
        there = v1.is_variable_initialized(v)
        less = v.assign_sub(0.25, read_value=False)
    (found,) = GraphPart(graph, [], [there._value], [less.node]).run([])
    assert bool(found)
    assert float(graph.variables[0]) == 0.75
