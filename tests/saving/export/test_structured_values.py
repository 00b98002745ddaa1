import pytest

import gradtape as tf
from gradtape._src.saving.export.structured_values import function_spec, structured


def test_structures_keep_their_kinds() -> None:
    made = structured(({"a": [1, 2.5, None]}, "text", tf.float32, True))
    mapping, text, dtype, truth = made.tuple_value.values
    numbers = mapping.dict_value.fields["a"].list_value.values
    kinds = [x.WhichOneof("kind") for x in numbers]
    assert kinds == ["int64_value", "float64_value", "none_value"]
    assert text.string_value == "text"
    assert dtype.tensor_dtype_value == 1
    assert truth.WhichOneof("kind") == "bool_value"


def test_unknown_lengths_are_minus_one() -> None:
    made = structured(tf.TensorSpec([None, 3], name="x")).tensor_spec_value
    assert [dim.size for dim in made.shape.dim] == [-1, 3]
    assert made.name == "x"
    assert structured(tf.TensorSpec(None)).tensor_spec_value.shape.unknown_rank


def test_other_objects_are_refused() -> None:
    with pytest.raises(TypeError, match="can't be saved"):
        structured(object())


def test_parameters_of_a_function() -> None:
    def function(x, training=False, *rest, scale=2.0, **others):
        return x

    fields = {x.key: x.value for x in function_spec(function).fullargspec.named_tuple_value.values}
    assert [x.string_value for x in fields["args"].list_value.values] == ["x", "training"]
    assert fields["varargs"].string_value == "rest"
    assert fields["varkw"].string_value == "others"
    assert not fields["defaults"].tuple_value.values[0].bool_value
    assert fields["kwonlydefaults"].dict_value.fields["scale"].float64_value == 2.0
