"""Operations of graphs, as programs see them."""

import pytest

import gradtape as tf
from gradtape._src.graph.named.operations import Operation


def test_an_operation_knows_its_tensors_and_attributes():
    @tf.function
    def f(x):
        op = (x + 1.0).op
        assert isinstance(op, Operation)
        assert (op.type, op.name, op.inputs[0] is x) == ("AddV2", "add", True)
        assert op.get_attr("T") is tf.float32
        with pytest.raises(ValueError, match="no attr"):
            op.get_attr("other")
        return x

    f(tf.constant(1.0))


def test_branches_are_parts_of_a_conditional():
    @tf.function
    def f(x):
        return tf.cond(x > 0, lambda: x, lambda: -x)

    graph = f.get_concrete_function(tf.TensorSpec([], tf.float32)).graph
    (op,) = [op for op in graph.get_operations() if op.parts]
    assert [part.label for part in op.parts] == ["true", "false"]


def test_groups_are_operations_that_functions_cannot_return():
    v = tf.Variable(1)

    @tf.function
    def f():
        done = tf.group(v.assign(2), name="done")
        assert (done.type, done.name) == ("NoOp", "done")
        with tf.control_dependencies([done, tf.no_op()]):
            return v.read_value()

    assert f() == 2
    with pytest.raises(TypeError, match="Operation, which is not a Tensor"):
        tf.function(lambda: tf.group(v.assign(1)))()
    assert tf.group(v.assign(1)) is None
    ended = tf.function(lambda x: tf.cond(x, lambda: tf.group(v.assign(7)), tf.no_op))
    assert ended(tf.constant(True)) == tf.constant(True)
    assert v == 7
