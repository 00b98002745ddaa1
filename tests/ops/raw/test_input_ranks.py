"""Raw operations refuse inputs of another rank, as those of TensorFlow 2.21 do."""

import inspect

import pytest

import gradtape as tf
from gradtape._src.ops.raw.input_ranks import RANKS

V, M = tf.constant([1.0, 2.0]), tf.constant([[1.0, 2.0]])


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("ListDiff", {"x": M, "y": V}),
        ("LowerBound", {"sorted_inputs": V, "values": M}),
        ("BiasAddGrad", {"out_backprop": V}),
        ("MatrixDiagPartV2", {"input": M, "k": 0, "padding_value": V}),
        ("LinSpace", {"start": V, "stop": 1.0, "num": 3}),
        ("ArgMax", {"input": M, "dimension": [0]}),
        ("BroadcastArgs", {"s0": 1, "s1": [1]}),
        ("OneHot", {"indices": [1], "depth": [3], "on_value": 1.0, "off_value": 0.0}),
        ("ResizeArea", {"images": M, "size": [1, 2]}),
    ],
)
def test_a_wrong_rank_is_refused(name, given):
    with pytest.raises(tf.errors.InvalidArgumentError, match="must have rank"):
        getattr(tf.raw_ops, name)(**given)


def test_right_ranks_are_accepted():
    assert tf.raw_ops.LowerBound(sorted_inputs=M, values=M).shape == (1, 2)
    assert tf.raw_ops.BiasAddGrad(out_backprop=M).shape == (2,)
    assert tf.raw_ops.ListDiff(x=V, y=V[:1]).out.shape == (1,)


@pytest.mark.parametrize("name", sorted(RANKS))
def test_operations_and_inputs_have_these_names(name):
    assert set(RANKS[name]) <= set(inspect.signature(getattr(tf.raw_ops, name)).parameters)
