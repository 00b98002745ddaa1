"""Whether a function is being traced, and whether a value is known."""

import gradtape as tf
from gradtape._src.graph.tracing.active_tracer import compiling, is_traced, size


def test_values_of_arguments_are_traced_and_constants_are_known():
    seen = []

    @tf.function
    def f(x):
        seen.append((compiling() is not None, is_traced(x), is_traced(tf.constant(1.0))))
        return x + 1

    f(tf.constant(1.0))
    assert seen == [(True, True, False)]
    assert compiling() is None
    assert not is_traced(tf.constant(1.0))
    assert not is_traced(1.0)


def test_the_size_counts_the_operations_of_a_graph_that_numpy_runs():
    found = []

    def f(x):
        before = size()
        y = tf.sin(x) * 3.0
        found.append(size() - before)
        return y

    f(tf.constant(1.0))
    tf.function(f)(tf.constant(1.0))
    tf.function(f, jit_compile=True)(tf.constant(1.0))  # XLA finds loops in equal operations
    assert found == [0, 2, 0]
