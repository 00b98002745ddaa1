from graphdef_export.exporting import exported, kinds

import gradtape as tf


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


def test_rows_come_and_go_as_lists() -> None:
    found = kinds(lambda x: tf.scan(lambda a, e: a + e, x, tf.zeros(3)), tf.TensorSpec([None, 3]))
    assert found["StatelessWhile"] == 1
    assert {
        "TensorListFromTensor",
        "TensorListGetItem",
        "TensorListSetItem",
        "TensorListStack",
    } <= set(found)
