from collections.abc import Callable
from typing import Any

import pytest
from graphdef_export.exporting import kinds

import gradtape as tf


@pytest.mark.parametrize(
    ("function", "wanted"),
    [
        (tf.sin, {"Sin": 1}),
        (lambda x: x + x * x, {"AddV2": 1, "Mul": 1}),
        (tf.nn.silu, {"Mul": 1, "Sigmoid": 1}),
        (lambda x: tf.cast(x, tf.int64), {"Cast": 1}),
        (lambda x: tf.where(x > 0, x, 1.0), {"Greater": 1, "SelectV2": 1}),
        (lambda x: tf.clip_by_value(x, 0.0, 1.0), {"Maximum": 1, "Minimum": 1}),
        (lambda x: tf.complex(x, x), {"Complex": 1}),
        (lambda x: ~(x > 0), {"Greater": 1, "LogicalNot": 1}),
    ],
)
def test_operations_become_tensorflows(
    function: Callable[..., Any], wanted: dict[str, int]
) -> None:
    assert kinds(function, tf.TensorSpec([3])) == wanted


def test_gradients_become_operations_too() -> None:
    def function(x: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.nn.relu(x)
        return tape.gradient(y, x)

    assert kinds(function, tf.TensorSpec([3]))["Greater"] == 1


def test_gradients_in_jacobians_have_inputs_of_one_shape() -> None:
    def function(x: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.tanh(tf.sigmoid(x))
        return tape.jacobian(y, x)

    found = kinds(function, tf.TensorSpec([3]))
    assert (found["TanhGrad"], found["SigmoidGrad"]) == (1, 1)
    assert found["BroadcastTo"] >= 1
