from graphdef_export.exporting import exported, kinds

import gradtape as tf
from gradtape._src.declare.unknown_sizes import Decisions
from gradtape._src.graphdef_export.lengths import LengthsOfValues
from gradtape._src.graphdef_export.nodes import Nodes, Value


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


def test_lengths_are_read_from_vectors_that_consist_of_them() -> None:
    nodes, size = Nodes(), Decisions().new()
    lengths = LengthsOfValues(nodes)
    lengths.note_elements(Value("shape", "int64", shape=(2,)), [3, size])
    assert lengths.of(size * 2).dtype == "int32"
    assert [node.op for node in nodes.made if node.op != "Const"] == ["StridedSlice", "Cast", "Mul"]
