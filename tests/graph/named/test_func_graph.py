"""Graphs of functions as programs see them: operations, their names and their tensors."""

from __future__ import annotations

from typing import Any

import pytest

import gradtape as tf
from gradtape._src.graph.named.func_graph import FuncGraph


def graph_of(function: Any, *specs: Any) -> FuncGraph:
    graph = tf.function(function).get_concrete_function(*specs).graph
    assert isinstance(graph, FuncGraph)
    return graph


SCALAR = tf.TensorSpec([], tf.float32)


def test_operations_have_names_and_types() -> None:
    graph = graph_of(lambda x, y: tf.square(x) * y + x, SCALAR, SCALAR)
    shown = [(op.name, op.type, op.node_def.input) for op in graph.get_operations()]
    assert shown == [
        ("x", "Placeholder", []),
        ("y", "Placeholder", []),
        ("Square", "Square", ["x"]),
        ("mul", "Mul", ["Square", "y"]),
        ("add", "AddV2", ["mul", "x"]),
        ("Identity", "Identity", ["add"]),
    ]
    assert [t.name for t in graph.inputs] == ["x:0", "y:0"]
    assert [t.name for t in graph.outputs] == ["Identity:0"]


def test_names_count_up_and_stand_in_scopes() -> None:
    names: list[str] = []

    def f(x: Any) -> Any:
        for _ in range(2):
            with tf.name_scope("layer") as scope:
                x = tf.nn.relu(x, name="act") + x
                names.extend([scope, x.name, x.op.inputs[0].name])
        return x

    graph = graph_of(f, SCALAR)
    assert names == [
        *("layer/", "layer/add:0", "layer/act:0"),
        *("layer_1/", "layer_1/add:0", "layer_1/act:0"),
    ]
    assert graph.get_operation_by_name("layer/act").type == "Relu"
    assert [op.name for op in graph.get_tensor_by_name("x:0").consumers()] == [
        "layer/act",
        "layer/add",
    ]


def test_a_call_of_several_operations_is_a_scope() -> None:
    graph = graph_of(lambda x: tf.nn.moments(x, [0])[1], tf.TensorSpec([3]))
    inner = [op.name for op in graph if op.name.startswith("moments/")]
    assert len(inner) > 2


def test_operations_of_a_called_function_stand_in_its_scope() -> None:
    inner = tf.function(lambda x: x * 2.0, autograph=False)
    inner.__name__ = "inner"

    def outer(x: Any) -> Any:
        return inner(x) + inner(x)

    names = [op.name for op in graph_of(outer, SCALAR) if op.type == "Mul"]
    assert len(names) == 2
    assert {name.partition("/")[0] for name in names} == {"inner", "inner_1"}


def test_symbolic_tensors_are_printed_by_name() -> None:
    shown: list[str] = []

    def f(x: Any) -> Any:
        y = x + 1.0
        shown.extend([repr(x), str(y), f"{y}"])
        return y

    graph = graph_of(f, tf.TensorSpec([2]))
    assert shown == [
        "<tf.Tensor 'x:0' shape=(2,) dtype=float32>",
        *['Tensor("add:0", shape=(2,), dtype=float32)'] * 2,
    ]
    assert graph.name == "f"


def test_a_constant_in_a_function_has_its_graph() -> None:
    seen: list[Any] = []

    @tf.function
    def f(x: Any) -> Any:
        with tf.GradientTape():
            seen.extend([tf.constant(True).graph, x.graph])
        return x

    graph = f.get_concrete_function(SCALAR).graph
    assert seen == [graph, graph]
    with pytest.raises(AttributeError, match="undefined when eager execution is enabled"):
        _ = tf.constant(True).graph


def test_variables_and_effects() -> None:
    v = tf.Variable(2.0)

    def f(x: Any) -> Any:
        tf.print(x)
        v.assign_add(x)
        return v * x

    graph = graph_of(f, SCALAR)
    kinds = [op.type for op in graph]
    assert {"ReadVariableOp", "AssignVariableOp", "PrintV2", "NoOp"} <= set(kinds)
    assert graph.variables[0] is v
    assert [x is v.handle for x in graph.external_captures] == [True]
    assert [op.type for op in graph.get_operations()[-1].control_inputs].count("PrintV2") == 1


def test_choices_and_loops_are_operations() -> None:
    def f(x: Any) -> Any:
        y = tf.cond(x > 0, lambda: x, lambda: -x)
        return tf.while_loop(lambda i: i < 9.0, lambda i: [i + 1.0], [y])[0]

    kinds = [op.type for op in graph_of(f, SCALAR)]
    assert "StatelessIf" in kinds
    assert "StatelessWhile" in kinds


def test_what_is_not_there() -> None:
    graph = graph_of(lambda x: x + 1.0, SCALAR)
    with pytest.raises(KeyError, match="missing"):
        graph.get_operation_by_name("missing")
    with pytest.raises(ValueError, match="add"):
        graph.get_tensor_by_name("add")
    with pytest.raises(KeyError, match="add:1"):
        graph.get_tensor_by_name("add:1")
    with pytest.raises(ValueError, match="missing"):
        graph.get_operation_by_name("add").get_attr("missing")
    with pytest.raises(AttributeError, match="eager"):
        _ = tf.constant(1).name


def test_captured_constants_have_operations():
    used, folded = tf.constant([1.0, 2.0]), tf.constant([2.0, 3.0, 4.0])
    concrete = tf.function(lambda x: x * folded[:2] * used).get_concrete_function(
        tf.TensorSpec([2])
    )
    before = [op.name for op in concrete.graph.get_operations()]
    captured = concrete.inputs[1:]
    assert [x.op.type for x in captured] == ["Const", "Const"]
    assert [x.name for x in captured] == [f"{x.op.name}:0" for x in captured]
    assert captured[-1].op.name == "mul_1/y"
    assert [op.name for op in concrete.graph.get_operations()] == before
    assert [x.name for x in concrete.inputs[1:]] == [x.name for x in captured]
    assert len(concrete.captured_inputs) == 2
