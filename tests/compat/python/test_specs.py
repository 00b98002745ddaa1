import pytest

import gradtape as tf
from gradtape._src.compat.python.specs import BatchableTypeSpec, DenseSpec, VariableSpec


def test_specs_of_what_has_a_shape_and_a_dtype():
    spec = DenseSpec([2, None], tf.float64, name="x")
    assert (spec.shape.as_list(), spec.dtype, spec.name) == ([2, None], tf.float64, "x")
    assert repr(spec) == "DenseSpec(shape=(2, None), dtype=tf.float64, name='x')"
    assert spec == DenseSpec([2, None], "float64", "x")
    assert hash(spec) == hash(DenseSpec([2, None], "float64", "x"))
    assert spec != DenseSpec([2, None], "float64")
    assert spec != DenseSpec([2, None], "float32", "x")
    assert isinstance(spec, tf.TypeSpec)


@pytest.mark.parametrize("kind", [DenseSpec, BatchableTypeSpec])
def test_what_specs_of_libraries_are_compared_by(kind):
    spec = kind([1]) if kind is DenseSpec else kind()
    key = spec._TypeSpec__make_cmp_key({"b": [1, tf.TensorShape([2])], "a": (None,)})
    same = spec._TypeSpec__make_cmp_key({"a": (None,), "b": [1, tf.TensorShape([2])]})
    assert hash(key) == hash(same)
    assert key == same
    assert key != spec._TypeSpec__make_cmp_key({"a": (None,), "b": [1, tf.TensorShape([3])]})


def test_specs_of_variables():
    spec = VariableSpec([2], tf.float64, trainable=False)
    shown = "VariableSpec(shape=(2,), dtype=tf.float64, trainable=False, alias_id=None)"
    assert repr(spec) == shown
    assert spec == VariableSpec([2], tf.float64, trainable=False)
    assert hash(spec) == hash(VariableSpec([2], tf.float64, trainable=False))
    assert spec != VariableSpec([2], tf.float64)
    assert spec.value_type is tf.Variable
