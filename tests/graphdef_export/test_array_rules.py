from collections.abc import Callable
from typing import Any

import pytest
from graphdef_export.exporting import exported, kinds

import gradtape as tf


@pytest.mark.parametrize(
    ("function", "wanted"),
    [
        (lambda x: tf.transpose(x), {"Transpose": 1}),
        (lambda x: tf.concat([x, x], 0), {"ConcatV2": 1}),
        (lambda x: tf.gather(x, [0, 1]), {"GatherV2": 1}),
        (lambda x: tf.one_hot(tf.argmax(x, 1), 3), {"ArgMax": 1, "OneHot": 1}),
        (lambda x: tf.argsort(x), {"Neg": 1, "TopKV2": 1}),
        (lambda x: tf.split(x, 2, 1), {"SplitV": 1}),
        (lambda x: tf.where(x > 0), {"Greater": 1, "Where": 1}),
    ],
)
def test_operations_become_tensorflows(
    function: Callable[..., Any], wanted: dict[str, int]
) -> None:
    assert kinds(function, tf.TensorSpec([3, 4])) == wanted


def test_slices_have_masks() -> None:
    (made,) = exported(lambda x: x[1, ..., ::2, None], tf.TensorSpec([3, 4, 5]))
    (node,) = [node for node in made.node_def if node.op == "StridedSlice"]
    masks = {name: node.attr[name].i for name in node.attr if name.endswith("_mask")}
    assert masks == {
        "begin_mask": 4,
        "ellipsis_mask": 2,
        "end_mask": 4,
        "new_axis_mask": 8,
        "shrink_axis_mask": 1,
    }
