"""Definitions of operations, as libraries that read graphs look them up."""

import importlib

import gradtape as tf
from gradtape._src.compat.internals.op_def_registry import get
from gradtape._src.messages import protos

tf.install()


def test_inputs_outputs_and_attributes():
    found = get("SplitV")
    assert [(a.name, a.type_attr, a.type) for a in found.input_arg] == [
        ("value", "T", 0),
        ("size_splits", "Tlen", 0),
        ("split_dim", "", protos.DT_INT32),
    ]
    assert [(a.name, a.number_attr) for a in found.output_arg] == [("output", "num_split")]
    attributes = {a.name: a for a in found.attr}
    assert list(attributes) == ["num_split", "T", "Tlen"]
    assert attributes["num_split"].has_minimum
    assert attributes["num_split"].minimum == 1
    assert not attributes["T"].HasField("default_value")
    assert attributes["Tlen"].default_value.type == protos.DT_INT64
    assert list(attributes["Tlen"].allowed_values.list.type) == [
        protos.DT_INT32,
        protos.DT_INT8,
        protos.DT_INT64,
    ]
    assert not found.is_stateful


def test_references_lists_of_types_and_state():
    found = get("Barrier")
    assert found.is_stateful
    assert found.output_arg[0].is_ref
    assert found.output_arg[0].type == protos.DT_STRING
    assert get("While").input_arg[0].type_list_attr == "T"
    assert [a.name for a in get("AvgPool").attr if a.allowed_values.list.s] == [
        "padding",
        "data_format",
    ]


def test_the_name_in_tensorflow():
    module = importlib.import_module("tensorflow.python.framework.op_def_registry")
    assert module.get("MatMul") is get("MatMul")
    assert module.get("NoSuchOperation") is None
