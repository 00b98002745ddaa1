from collections.abc import Callable
from typing import Any

import pytest
from graphdef_export.exporting import exported, kinds

import gradtape as tf


@pytest.mark.parametrize(
    ("function", "wanted"),
    [
        (lambda x: tf.reduce_mean(x, 0), {"Mean": 1}),
        (lambda x: tf.cumsum(x, 1, reverse=True), {"Cumsum": 1}),
        (lambda x: tf.nn.softmax(x), {"Softmax": 1}),
        (lambda x: tf.nn.softmax(x, 0), {"Softmax": 1, "Transpose": 2}),
        (lambda x: tf.nn.l2_loss(x), {"L2Loss": 1}),
    ],
)
def test_operations_become_tensorflows(
    function: Callable[..., Any], wanted: dict[str, int]
) -> None:
    assert kinds(function, tf.TensorSpec([3, 4])) == wanted


def test_axes_and_keepdims_are_passed_on() -> None:
    (made,) = exported(lambda x: tf.reduce_sum(x, [0, 2], keepdims=True), tf.TensorSpec([2, 3, 4]))
    nodes = {node.op: node for node in made.node_def}
    assert nodes["Sum"].attr["keep_dims"].b
    assert tf.make_ndarray(nodes["Const"].attr["value"].tensor).size == 2


def test_cross_entropy_is_one_operation_unless_it_is_differentiated() -> None:
    def loss(x: tf.Tensor) -> tf.Tensor:
        return tf.nn.sparse_softmax_cross_entropy_with_logits([0, 1, 1], x)

    found = kinds(loss, tf.TensorSpec([3, 4]))
    assert found["SparseSoftmaxCrossEntropyWithLogits"] == 1
    assert not found["Exp"]
