import pytest
from graphdef_export.exporting import exported, kinds

import gradtape as tf


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
def test_padding_keeps_its_name(padding: str) -> None:
    filters = tf.ones((3, 3, 2, 4))
    (made,) = exported(
        lambda x: tf.nn.conv2d(x, filters, 2, padding), tf.TensorSpec([None, 8, 8, 2])
    )
    (node,) = [node for node in made.node_def if node.op == "Conv2D"]
    assert node.attr["padding"].s == padding.encode()
    assert list(node.attr["strides"].list.i) == [1, 2, 2, 1]


def test_sequences_get_an_axis() -> None:
    filters = tf.ones((3, 2, 4))
    found = kinds(lambda x: tf.nn.conv1d(x, filters, 1, "SAME"), tf.TensorSpec([1, 8, 2]))
    assert (found["Conv2D"], found["Squeeze"]) == (1, 1)


def test_channels_by_themselves_are_depthwise() -> None:
    filters = tf.ones((3, 3, 2, 1))
    found = kinds(
        lambda x: tf.nn.depthwise_conv2d(x, filters, [1, 1, 1, 1], "SAME"),
        tf.TensorSpec([1, 8, 8, 2]),
    )
    assert found["DepthwiseConv2dNative"] == 1
    assert not found["Conv2D"]


def test_pooling() -> None:
    found = kinds(
        lambda x: tf.nn.max_pool2d(x, 2, 2, "SAME") + tf.nn.avg_pool2d(x, 2, 2, "SAME"),
        tf.TensorSpec([1, 8, 8, 2]),
    )
    assert (found["MaxPool"], found["AvgPool"]) == (1, 1)
