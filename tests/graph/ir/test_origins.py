"""The origins of operations."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

import gradtape as tf


def test_each_operation_knows_the_line_that_called_for_it() -> None:
    def f(x: Any) -> Any:
        y = tf.exp(x)
        return y * x

    graph = tf.function(f).get_concrete_function(tf.TensorSpec([])).graph
    first = inspect.getsourcelines(f)[1]
    places = {op.type: op.place for op in graph}
    assert places["Exp"] == f"{__file__}:{first + 1}"
    assert places["Mul"] == f"{__file__}:{first + 2}"
    assert places["Placeholder"] == ""


def test_the_operations_of_one_call_share_their_origin() -> None:
    def f(x: Any) -> Any:
        return tf.nn.moments(x, [0])[0] + tf.nn.moments(x, [0])[0]

    graph = tf.function(f).get_concrete_function(tf.TensorSpec([3])).graph
    origins = [op.origin for op in graph if op.origin.function == "moments"]
    assert len(origins) > len(set(origins)) == 2


def test_an_operation_of_a_called_function_keeps_its_line() -> None:
    @tf.function
    def inner(x: Any) -> Any:
        return tf.exp(x)

    def outer(x: Any) -> Any:
        return inner(x)

    graph = tf.function(outer).get_concrete_function(tf.TensorSpec([])).graph
    (exp,) = [op for op in graph if op.type == "Exp"]
    assert exp.origin.call is not None
    assert exp.origin.call.name == "inner"
    assert exp.place == f"{__file__}:{inspect.getsourcelines(inner.python_function)[1] + 2}"


def test_a_summary_may_have_any_name(tmp_path):
    """The first argument of a summary is a tag, and no name of an operation."""
    writer = tf.summary.create_file_writer(str(tmp_path))

    @tf.function
    def run(x):
        with writer.as_default(step=1):
            tf.summary.scalar("scale[0]", x)
            return tf.summary.histogram("scale[0]", [x])

    assert run(tf.constant(1.0)).numpy()


@pytest.mark.parametrize(
    "call",
    [
        lambda x: tf.linalg.inv(x, name="named"),
        lambda x: tf.cumsum(x, 0, False, False, "named"),
        lambda x: tf.linalg.solve(x, x, name="named"),
    ],
)
def test_an_operation_that_checks_its_arguments_keeps_its_name(call):
    spec = tf.TensorSpec([2, 2], tf.float32)
    graph = tf.function(call).get_concrete_function(spec).graph
    assert "named" in [op.name for op in graph.get_operations()]
