"""The attributes of nodes as Python values."""

import pytest
from graph_nodes import Name, attribute, node

import gradtape as tf
from gradtape._src.graphdef.attributes import (
    Attributes,
    Unsupported,
    dtype_of_number,
    shape_of_message,
    value_of,
)
from gradtape._src.messages import protos
from gradtape._src.raw.op_definitions import op_definition

VALUES = [3, 1.5, True, tf.float32, tf.TensorShape([2, None]), Name("f"), [1, 2], [tf.int32]]


@pytest.mark.parametrize("value", VALUES, ids=str)
def test_there_and_back(value):
    found = value_of(attribute(value))
    wanted = value.as_list() if isinstance(value, tf.TensorShape) else value
    assert (found.as_list() if isinstance(value, tf.TensorShape) else found) == wanted


def test_defaults_are_those_of_the_operation():
    conv = node("c", "Conv2D", "x", "w", T=tf.float32, strides=[1, 1, 1, 1], padding="SAME")
    attributes = Attributes(conv.attr, op_definition("Conv2D"))
    assert attributes.text("padding") == "SAME"
    assert attributes["data_format"] == b"NHWC"
    assert attributes["dilations"] == [1, 1, 1, 1]
    assert attributes.get("no such") is None
    with pytest.raises(ValueError, match="'filter' is missing"):
        attributes["filter"]


def test_a_dtype_of_a_reference_is_that_of_the_value():
    assert dtype_of_number(101) is tf.float32
    with pytest.raises(TypeError):
        dtype_of_number(99)


def test_shapes():
    assert shape_of_message(protos.TensorShapeProto(unknown_rank=True)).rank is None
    assert shape_of_message(protos.TensorShapeProto()).as_list() == []


def test_what_stands_for_an_attribute_around_is_not_supported():
    with pytest.raises(Unsupported, match="attributes of their own"):
        value_of(protos.AttrValue(placeholder="T"))
    with pytest.raises(ValueError, match="has no value"):
        value_of(protos.AttrValue())
    with pytest.raises(ValueError, match="is not a function"):
        Attributes({"f": attribute(3)}, None).function("f")
