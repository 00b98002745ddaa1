"""The definitions of TensorFlow's operations."""

import pytest

import gradtape as tf
from gradtape._src.raw.op_definitions import Argument, is_defined, op_definition


def test_an_operation_has_inputs_outputs_and_attributes():
    op = op_definition("MatMul")
    assert [a.name for a in op.inputs] == ["a", "b"]
    assert op.outputs == (Argument("product", type_attr="T"),)
    assert op.attributes["transpose_a"].default is False
    assert not op.attributes["T"].has_default
    assert not op.stateful


def test_lists_of_tensors_take_their_number_or_dtypes_from_attributes():
    values = {"num_sparse": 2, "sparse_types": ["float32", "string"]}
    op = op_definition("ParseExampleV2")
    outputs = {a.name: a for a in op.outputs}
    assert outputs["sparse_indices"].dtypes(values.__getitem__) == ["int64", "int64"]
    assert outputs["sparse_values"].dtypes(values.__getitem__) == ["float32", "string"]
    assert outputs["sparse_values"].is_list
    assert not op.inputs[0].is_list


def test_state_references_and_defaults_are_known():
    assert op_definition("VarHandleOp").stateful
    assert op_definition("Assign").inputs[0].is_ref
    assert op_definition("Conv2D").attributes["dilations"].default == [1, 1, 1, 1]
    assert op_definition("StringSplitV2").attributes["maxsplit"].default == -1
    assert op_definition("ReduceJoin").attributes["separator"].default == ""


def test_an_unknown_operation_is_reported():
    assert not is_defined("NoSuchOp")
    with pytest.raises(KeyError):
        op_definition("NoSuchOp")


def test_every_line_can_be_read():
    for name in vars(tf.raw_ops):
        if is_defined(name):
            op = op_definition(name)
            assert op.name == name
            held = {a.type_attr or a.type_list_attr for a in (*op.inputs, *op.outputs)} - {None}
            assert held <= set(op.attributes), name


def test_raw_operations_take_what_tensorflow_defines():
    unknown = [n for n in dir(tf.raw_ops) if n[0].isupper() and not is_defined(n)]
    assert unknown == []


def test_attributes_have_limits():
    op = op_definition("AvgPool")
    assert op.attributes["ksize"].minimum == 4
    assert op.attributes["padding"].allowed == {"SAME", "VALID"}
    assert "int8" not in op.attributes["T"].allowed
    assert op.attributes["data_format"].default == "NHWC"
    assert not op_definition("Sum").attributes["keep_dims"].allowed
    assert op_definition("Identity").attributes["T"].allowed == frozenset()
