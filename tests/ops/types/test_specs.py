"""Descriptions of tensors."""

import pickle
import types

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.ops.types.specs import BoundedTensorSpec, TensorSpec, type_spec_from_value


def test_text_and_facts():
    spec = TensorSpec([2, None], "float32", "x")
    assert repr(spec) == str(spec) == "TensorSpec(shape=(2, None), dtype=tf.float32, name='x')"
    assert (spec.shape, spec.dtype, spec.name) == ([2, None], tf.float32, "x")
    assert repr(TensorSpec(None)) == "TensorSpec(shape=<unknown>, dtype=tf.float32, name=None)"
    assert spec.value_type is tf.Tensor
    with pytest.raises(AttributeError):
        spec.shape = [1]


def test_compatibility():
    spec = TensorSpec([None])
    assert spec.is_compatible_with(tf.constant([1.0]))
    assert spec.is_compatible_with(TensorSpec([3]))
    assert not spec.is_compatible_with(tf.constant([1]))
    assert not spec.is_compatible_with(tf.constant(1.0))
    assert not spec.is_compatible_with(np.ones(3, "f4"))
    assert TensorSpec(None, tf.int32).is_compatible_with(tf.constant(1))
    assert TensorSpec([3]).is_subtype_of(TensorSpec([None]))
    assert not TensorSpec([None]).is_subtype_of(TensorSpec([3]))


def test_equality():
    assert TensorSpec([3]) == TensorSpec((3,), np.float32)
    assert TensorSpec([3], name="a") != TensorSpec([3])
    assert TensorSpec([3]) != 3
    assert hash(TensorSpec([3])) == hash(TensorSpec([3]))
    assert pickle.loads(pickle.dumps(TensorSpec([3]))) == TensorSpec([3])


def test_the_common_spec():
    assert TensorSpec([3]).most_specific_compatible_type(TensorSpec([4])) == TensorSpec([None])
    with pytest.raises(ValueError, match="No TypeSpec is compatible with both"):
        TensorSpec([3]).most_specific_compatible_type(TensorSpec([3], tf.int32))


def test_descriptions_of_values():
    x = tf.constant([1.0, 2.0])
    assert TensorSpec.from_tensor(x) == type_spec_from_value(x) == TensorSpec([2])
    assert TensorSpec.from_tensor(x, name="q").name == "q"
    assert TensorSpec.from_spec(TensorSpec([3], name="a")).name == "a"
    assert TensorSpec.from_spec(TensorSpec([3], name="a"), name="b").name == "b"
    assert type_spec_from_value(np.ones(2)) == TensorSpec([2], tf.float64)
    assert type_spec_from_value(1) == TensorSpec([], tf.int32)
    assert type_spec_from_value("a") == TensorSpec([], tf.string)


def test_what_has_no_description():
    with pytest.raises(ValueError, match=r"`tensor` should be a tf.Tensor, but got type"):
        TensorSpec.from_tensor(np.ones(2))
    with pytest.raises(TypeError, match="Could not build a TypeSpec for <object"):
        type_spec_from_value(object())
    with pytest.raises(TypeError, match="to a TensorFlow DType"):
        TensorSpec([2], "foo")


class TestBounds:
    """Specs with smallest and largest values; the texts are TensorFlow's."""

    SPEC = BoundedTensorSpec((2, 3), tf.float32, 0, [1, 2, 3.0])

    def test_text_and_facts(self):
        assert repr(self.SPEC) == (
            "BoundedTensorSpec(shape=(2, 3), dtype=tf.float32, name=None, "
            "minimum=array(0., dtype=float32), maximum=array([1., 2., 3.], dtype=float32))"
        )
        assert not self.SPEC.minimum.flags.writeable
        assert self.SPEC.maximum.dtype == np.float32
        assert BoundedTensorSpec((), tf.int32, 0.5, 3).minimum == 0
        assert BoundedTensorSpec((), tf.uint8, -1, 3).minimum == 255

    def test_equality(self):
        same = BoundedTensorSpec((2, 3), tf.float32, 0, [1, 2, 3.0])
        assert same == self.SPEC
        assert hash(self.SPEC) == hash(same)
        assert pickle.loads(pickle.dumps(self.SPEC)) == same
        assert BoundedTensorSpec((2, 3), tf.float32, 0, [1, 2, 4.0]) != self.SPEC
        assert BoundedTensorSpec((2, 3), tf.float32, 0, [1, 2, 3.0], "x") != self.SPEC
        assert TensorSpec((2, 3)) != self.SPEC

    def test_copies(self):
        made = BoundedTensorSpec.from_spec(TensorSpec((2,), tf.int64, "q"))
        assert (made.name, made.minimum, made.maximum) == ("q", tf.int64.min, tf.int64.max)
        assert BoundedTensorSpec.from_spec(self.SPEC) == self.SPEC
        array = types.SimpleNamespace(shape=(2,), dtype=np.dtype("i4"), name=None)
        assert BoundedTensorSpec.from_spec(array).maximum == tf.int32.max
        array.minimum, array.maximum = 1, [2, 3]
        assert BoundedTensorSpec.from_spec(array) == BoundedTensorSpec((2,), tf.int32, 1, [2, 3])
        with pytest.raises(TypeError, match="Cannot find minimum value"):
            BoundedTensorSpec.from_spec(TensorSpec((), tf.bool))

    @pytest.mark.parametrize(
        ("low", "high"), [(None, 1), (0, None), ([0, 1, 2], 3), (0, [3, 4, 5])]
    )
    def test_wrong_bounds(self, low, high):
        with pytest.raises(ValueError, match=r"`m..imum` .*(can not be None|is not compatible)"):
            BoundedTensorSpec((2,), tf.int32, low, high)

    def test_it_describes_tensors(self):
        assert self.SPEC.is_compatible_with(tf.zeros((2, 3)))
        assert not self.SPEC.is_compatible_with(tf.zeros((2, 4)))
        assert self.SPEC.is_subtype_of(TensorSpec((2, 3)))
        assert self.SPEC.most_specific_common_supertype([self.SPEC]) is None
        assert self.SPEC._batch(4) == TensorSpec((4, 2, 3))
        assert self.SPEC._unbatch() == TensorSpec((3,))
        twice = tf.function(lambda x: x * 2, input_signature=[self.SPEC])
        assert twice(tf.ones((2, 3))).numpy().sum() == 12
        with pytest.raises(TypeError):
            twice(tf.ones((3, 3)))


def test_values_become_tensors_of_the_spec():
    spec = TensorSpec([None])
    for value in ([1.0, 2.0], np.float32([1, 2]), tf.Variable([1.0, 2.0])):
        (found,) = spec.to_tensors(value)
        assert type(found) is type(tf.constant(1))
        assert found.numpy().tolist() == [1, 2]
    for wrong in (2.0, "x", tf.constant([1])):
        with pytest.raises(TypeError):
            spec.to_tensors(wrong)


def test_tensors_of_graphs_are_described_in_and_after_the_trace():
    seen = []

    @tf.function
    def f(x):
        y = tf.multiply(x, 2.0, name="twice")
        seen.append(TensorSpec.from_tensor(y))
        return y

    concrete = f.get_concrete_function(TensorSpec([2, None], name="x"))
    assert seen == [TensorSpec([2, None], name="twice")]
    outputs = concrete.structured_outputs
    assert TensorSpec.from_tensor(outputs) == TensorSpec([2, None], name="Identity")
    assert TensorSpec.from_tensor(concrete.inputs[0]).name == "x"
    assert TensorSpec.from_tensor(outputs, name="out").name == "out"
    assert type_spec_from_value(outputs) == TensorSpec([2, None])
