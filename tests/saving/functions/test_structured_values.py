"""Arguments and results of functions in messages."""

import pytest

import gradtape as tf
from gradtape._src.messages import protos
from gradtape._src.saving.functions.structured_values import (
    OtherSpec,
    Parameters,
    count_of,
    packed,
    value_of,
)

Value = protos.StructuredValue


def listed(*values):
    return {"list_value": {"values": list(values)}}


def text(value):
    return Value(string_value=value)


SHAPE = {"dim": [{"size": 2}, {"size": -1}]}
VALUES = [
    (Value(none_value={}), None),
    (Value(int64_value=-3), -3),
    (Value(float64_value=0.5), 0.5),
    (Value(bool_value=True), True),
    (text("a"), "a"),
    (Value(tensor_dtype_value=1), tf.float32),
    (Value(**listed(text("a"), text("b"))), ["a", "b"]),
    (Value(tuple_value={"values": [text("a")]}), ("a",)),
    (Value(dict_value={"fields": {"k": text("a")}}), {"k": "a"}),
    (
        Value(tensor_spec_value={"name": "x", "shape": SHAPE, "dtype": 1}),
        tf.TensorSpec([2, None], tf.float32, "x"),
    ),
]


@pytest.mark.parametrize(("message", "wanted"), VALUES, ids=lambda x: str(x)[:20])
def test_values(message, wanted):
    assert value_of(message) == wanted


def test_named_tuples():
    pair = {"name": "Pair", "values": [{"key": "a", "value": text("x")}]}
    found = value_of(Value(named_tuple_value=pair))
    assert (type(found).__name__, found.a) == ("Pair", "x")


def test_specs_of_composite_tensors():
    state = Value(tuple_value={"values": [
        Value(tensor_shape_value=SHAPE), Value(tensor_dtype_value=1), Value(int64_value=1),
        Value(tensor_dtype_value=9),
    ]})  # fmt: skip
    ragged = value_of(Value(type_spec_value={"type_spec_class": 3, "type_state": state}))
    assert ragged == tf.RaggedTensorSpec([2, None], tf.float32, 1, tf.int64)
    sparse = value_of(Value(type_spec_value={"type_spec_class": 1, "type_state": state}))
    assert sparse == tf.SparseTensorSpec([2, None], tf.float32)
    assert [count_of(x) for x in (ragged, sparse, OtherSpec("X", 4))] == [2, 3, 4]
    made = packed(ragged, [tf.constant([1.0]), tf.constant([0, 1], tf.int64)])
    assert made.to_list() == [[1.0]]
    assert packed(OtherSpec("X", 2), [1, 2]) == (1, 2)


def test_an_empty_message_is_damage():
    with pytest.raises(ValueError, match="is empty"):
        value_of(Value())


def test_parameters_of_a_method():
    fields = {
        "args": listed(text("self"), text("x"), text("n")),
        "varargs": {"none_value": {}},
        "varkw": {"none_value": {}},
        "defaults": {"tuple_value": {"values": [{"int64_value": 3}]}},
        "kwonlyargs": listed(text("k")),
        "kwonlydefaults": {"dict_value": {"fields": {"k": {"bool_value": True}}}},
    }
    values = [{"key": key, "value": value} for key, value in fields.items()]
    spec = {"named_tuple_value": {"name": "FullArgSpec", "values": values}}
    found = Parameters.of(protos.FunctionSpec(fullargspec=spec, is_method=True))
    assert found.arranged((1,), {}) == ((1, 3), {"k": True})
    assert found.arranged((1,), {"n": 5, "k": False}) == ((1, 5), {"k": False})
    for args, kwargs in (((), {}), ((1, 2, 3), {}), ((1,), {"x": 2}), ((1,), {"y": 2})):
        with pytest.raises(TypeError):
            found.arranged(args, kwargs)
