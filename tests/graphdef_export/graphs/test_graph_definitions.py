"""Graphs as TensorFlow's message."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradtape as tf


def _definition(function: Any, *specs: Any, **options: Any) -> Any:
    return tf.function(function).get_concrete_function(*specs).graph.as_graph_def(**options)


def test_operations_have_the_names_types_and_inputs_of_tensorflow() -> None:
    v = tf.Variable([1.0, 2.0])

    def f(x: Any) -> Any:
        with tf.name_scope("layer"):
            return tf.cast(tf.tanh(x * 2.0 + v), tf.float64)

    made = _definition(f, tf.TensorSpec([2]))
    shown = {n.name: (n.op, list(n.input)) for n in made.node}
    assert shown["layer/mul"] == ("Mul", ["x", "layer/mul/y"])
    assert shown["layer/Tanh"] == ("Tanh", ["layer/add"])
    assert shown["Identity"] == ("Identity", ["layer/Cast", "^NoOp"])
    assert shown["NoOp"] == ("NoOp", ["^layer/add/ReadVariableOp"])
    nodes = {n.name: n for n in made.node}
    assert nodes["layer/Cast"].attr["SrcT"].type == tf.float32.as_datatype_enum
    assert nodes["layer/Cast"].attr["DstT"].type == tf.float64.as_datatype_enum
    assert nodes["layer/mul"].attr["T"].type == tf.float32.as_datatype_enum
    assert [d.size for d in nodes["x"].attr["shape"].shape.dim] == [2]
    assert tf.make_ndarray(nodes["layer/mul/y"].attr["value"].tensor) == 2
    (handle,) = [n for n in made.node if n.op == "Placeholder" and n.name != "x"]
    assert handle.attr["dtype"].type == 20  # a resource
    assert type(made).FromString(made.SerializeToString()) == made


def test_parts_of_choices_and_loops_are_functions() -> None:
    def f(x: Any, n: Any) -> Any:
        for _ in tf.range(n):
            if tf.reduce_sum(x) > 1.0:
                x = x - 1.0
        return x

    made = _definition(f, tf.TensorSpec([None]), tf.TensorSpec([], tf.int32), add_shapes=True)
    (loop,) = [n for n in made.node if n.op == "StatelessWhile"]
    functions = {function.signature.name: function for function in made.library.function}
    body = functions[loop.attr["body"].func.name]
    assert "Less" in [n.op for n in functions[loop.attr["cond"].func.name].node_def]
    (choice,) = [n for n in body.node_def if n.op == "StatelessIf"]
    taken = functions[choice.attr["then_branch"].func.name]
    assert "Sub" in [n.op for n in taken.node_def]
    assert len(taken.ret) == len(taken.signature.output_arg) == 1
    given = {arg.name for arg in taken.signature.input_arg}
    known = given | {n.name for n in taken.node_def}
    assert {i.partition(":")[0] for n in taken.node_def for i in n.input} <= known
    shapes = loop.attr["output_shapes"].list.shape
    assert [-1] in [[d.size for d in shape.dim] for shape in shapes]


def test_parameters_are_attributes_where_attributes_can_hold_them() -> None:
    def f(x: Any) -> Any:
        return tf.reduce_sum(x, axis=[0], keepdims=True) + np.float32(1)

    nodes = {n.op: n for n in _definition(f, tf.TensorSpec([2, 3])).node}
    assert nodes["Sum"].attr["keep_dims"].b is True
    assert "_output_shapes" not in nodes["Sum"].attr


def test_results_follow_the_effects() -> None:
    v = tf.Variable(1.0)

    def f(x: Any) -> Any:
        v.assign_add(x)
        return x * 2.0, x * 3.0

    inputs = {n.name: list(n.input) for n in _definition(f, tf.TensorSpec([])).node}
    assert inputs["Identity"][-1] == inputs["Identity_1"][-1] == "^NoOp"
    assert "^NoOp" not in _inputs_of(lambda x: x * 2.0, "Identity")


def _inputs_of(function: Any, name: str) -> list[str]:
    (node,) = [n for n in _definition(function, tf.TensorSpec([])).node if n.name == name]
    return list(node.input)


@pytest.mark.parametrize("own", [[2, 3], [2, None], None])
def test_a_check_of_a_shape_is_an_operation_of_the_graph(own: Any) -> None:
    definition = _definition(lambda x: tf.ensure_shape(x, [2, 3]), tf.TensorSpec(own))
    (node,) = [n for n in definition.node if n.op == "EnsureShape"]
    assert [d.size for d in node.attr["shape"].shape.dim] == [2, 3]


def test_an_assertion_by_keyword_and_its_number_of_elements() -> None:
    def f(x: Any) -> Any:
        tf.Assert(data=[x], condition=x[0] > 0, summarize=7)
        return x

    (node,) = [n for n in _definition(f, tf.TensorSpec([2])).node if n.op == "Assert"]
    assert (node.input[1], node.attr["summarize"].i) == ("x", 7)


def test_the_smallest_square_matrix_has_no_size_of_its_own() -> None:
    def sizes(**how: int) -> list[int]:
        made = _definition(lambda d: tf.linalg.diag(d, k=-2, **how), tf.TensorSpec([3, 4]))
        nodes = {n.name: n for n in made.node}
        (diag,) = [n for n in made.node if n.op == "MatrixDiagV3"]
        return [tf.make_ndarray(nodes[x].attr["value"].tensor).item() for x in diag.input[2:4]]

    assert sizes() == sizes(num_rows=6, num_cols=6) == [-1, -1]
    assert sizes(num_rows=9) == [9, 4]


def test_raw_operations_are_named_after_themselves() -> None:
    def f(x: Any) -> None:
        tf.raw_ops.Exp(x=x)
        tf.raw_ops.Exp(x=x, name="own")
        tf.raw_ops.ResizeBilinear(images=x, size=[4, 4])

    made = [n.name for n in _definition(f, tf.TensorSpec([1, 2, 2, 1])).node if n.op != "Const"]
    assert made[:3] == ["x", "Exp", "own"]
    assert all(name.startswith("ResizeBilinear") for name in made[3:])
    assert len(made) > 3
