"""The contents of complete graphs."""

import gradtape as tf
from gradtape._src.graph.named.contents import Contents, Finished


def test_the_graph_of_a_branch_is_complete():
    v = tf.Variable(2.0)

    @tf.function
    def f(x):
        return tf.cond(x > 0.0, lambda: x * v, lambda: -x)

    graph = f.get_concrete_function(tf.TensorSpec([])).graph
    (choice,) = [op for op in graph.get_operations() if op.parts]
    branch = choice.parts[0].graph
    assert isinstance(branch._of, Contents)
    assert branch._of.captured == []
    assert branch.outer_graph is None
    assert Finished.finished
    assert Finished.open_graph is None


def test_the_functions_of_branches_are_found_by_name():
    f = tf.function(lambda x: tf.cond(x > 0.0, lambda: x * 2.0, lambda: -x))
    graph = f.get_concrete_function(tf.TensorSpec([])).graph
    found = graph._functions
    names = [function.signature.name for function in graph.as_graph_def().library.function]
    assert list(found) == names != []
    assert found[names[0]].signature.name == names[0]
