from graphdef_export.exporting import exported, kinds

import gradtape as tf


def _rows(x: tf.Tensor) -> tf.Tensor:
    return tf.reshape(x, [-1]) / tf.cast(tf.shape(x)[0] * 3, tf.float32)


def test_unknown_lengths_are_computed_from_shapes() -> None:
    found = kinds(_rows, tf.TensorSpec([None, 2]))
    assert found["Shape"] >= 1
    assert found["Mul"] >= 1


def test_reshape_with_one_unknown_length_needs_no_shape() -> None:
    assert kinds(lambda x: tf.reshape(x, [-1, 6]), tf.TensorSpec([None, 2, 3])) == {"Reshape": 1}


def test_lengths_of_a_branch_are_those_of_its_own_arguments() -> None:
    def function(x: tf.Tensor) -> tf.Tensor:
        return tf.cond(tf.reduce_sum(x) > 0, lambda: tf.ones(tf.shape(x)), lambda: x)

    inner, _, whole = exported(function, tf.TensorSpec([None, 2]))
    assert {"Shape", "BroadcastTo"} <= {node.op for node in inner.node_def}
    assert "StatelessIf" in {node.op for node in whole.node_def}
