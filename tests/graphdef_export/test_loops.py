import numpy as np
from graphdef_export.exporting import exported, kinds

import gradtape as tf
from gradtape._src.graphdef_export.loops import traced


def test_loops_begin_with_a_counter_and_the_most_turns() -> None:
    def function(x: tf.Tensor) -> tf.Tensor:
        return tf.while_loop(
            lambda y: tf.reduce_sum(y) < 9, lambda y: [y + x], [x], maximum_iterations=4
        )

    *_, whole = exported(function, tf.TensorSpec([3]))
    (node,) = [node for node in whole.node_def if node.op == "StatelessWhile"]
    values = {
        made.name: tf.make_ndarray(made.attr["value"].tensor).tolist()
        for made in whole.node_def
        if made.op == "Const"
    }
    assert [values[x.partition(":")[0]] for x in node.input[:2]] == [0, 4]


def test_loops_without_a_most_number_of_iterations_count_them_too() -> None:
    def function(x: tf.Tensor) -> tf.Tensor:
        return tf.while_loop(lambda y: tf.reduce_sum(y) < 9.0, lambda y: [y * 2.0], [x])[0]

    *_, whole = exported(function, tf.TensorSpec([3]))
    (node,) = [node for node in whole.node_def if node.op == "StatelessWhile"]
    kinds = [int(kind) for kind in node.attr["T"].list.type]
    assert kinds[:2] == [tf.int32.as_datatype_enum] * 2  # which TensorFlow's gradient wants


def test_rows_come_and_go_as_lists() -> None:
    found = kinds(lambda x: tf.scan(lambda a, e: a + e, x, tf.zeros(3)), tf.TensorSpec([None, 3]))
    assert found["StatelessWhile"] == 1
    assert {
        "TensorListFromTensor",
        "TensorListGetItem",
        "TensorListSetItem",
        "TensorListStack",
    } <= set(found)


def test_constants_that_a_tape_has_seen_are_part_of_the_graph() -> None:
    half = tf.constant(0.5)
    with tf.GradientTape() as tape:
        tape.watch(half)  # from now on it differs from other constants
    graph = traced(lambda xs: [xs[0] * half], [((), np.dtype(np.float32))])
    assert len(graph.inputs) == 1
    assert [x for node in graph.nodes for x in node.inputs if x is not graph.inputs[0]] == [0.5]


def test_a_gradient_runs_the_loop_once_more_and_goes_back() -> None:
    def function(x: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.while_loop(lambda y: tf.reduce_sum(y) < 9, lambda y: [y * x + 1], [x])[0]
        return tape.gradient(y, x)

    found = kinds(function, tf.TensorSpec([3]))
    assert found["StatelessWhile"] == 2
    assert found["TensorListPushBack"] == 1


def test_a_gradient_of_a_loop_over_rows() -> None:
    def function(x: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.scan(lambda a, e: tf.tanh(a + e), x, tf.zeros(3))
        return tape.gradient(y, x)

    assert kinds(function, tf.TensorSpec([None, 3]))["StatelessWhile"] >= 2
