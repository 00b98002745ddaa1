"""Specs: what follows from what a class says of its values."""

import copy
import pickle

import pytest

import gradtape as tf
from gradtape._src.ops.types import type_spec


class IntervalSpec(tf.TypeSpec):
    """Describes an interval: two tensors, and whether the ends belong to it."""

    def __init__(self, ends, closed):
        self.ends, self.closed = ends, closed

    @property
    def value_type(self):
        return Interval

    @property
    def _component_specs(self):
        return (self.ends, self.ends)

    def _to_components(self, value):
        return (value.low, value.high)

    def _from_components(self, components):
        return Interval(*components, self.closed)

    def _serialize(self):
        return (self.ends, self.closed)


class Interval(tf.__internal__.CompositeTensor):
    def __init__(self, low, high, closed=True):
        self.low, self.high, self.closed = low, high, closed

    @property
    def _type_spec(self):
        return IntervalSpec(tf.type_spec_from_value(self.low), self.closed)


def interval(low, high, closed=True):
    return Interval(tf.constant(low), tf.constant(high), closed)


def test_equality_hash_text_and_copies_follow_from_what_is_serialized():
    spec, same = interval(1.0, 2.0)._type_spec, interval(3.0, 4.0)._type_spec
    assert spec == same
    assert hash(spec) == hash(same)
    assert spec != interval(1.0, 2.0, closed=False)._type_spec
    assert repr(spec).startswith("IntervalSpec(TensorSpec(shape=(), dtype=tf.float32")
    assert copy.deepcopy(spec) == spec
    assert pickle.loads(pickle.dumps(tf.SparseTensorSpec([2]))) == tf.SparseTensorSpec([2])


def test_a_spec_describes_what_two_have_in_common():
    a, b = interval([1.0], [2.0])._type_spec, interval([1.0, 2.0], [2.0, 3.0])._type_spec
    common = a.most_specific_compatible_type(b)
    assert common.ends.shape.as_list() == [None]
    assert a.is_subtype_of(common)
    assert not common.is_subtype_of(a)
    assert common.is_compatible_with(interval([1.0], [2.0]))
    other = interval([1.0], [2.0], closed=False)._type_spec
    assert a.most_specific_common_supertype([other]) is None
    with pytest.raises(ValueError, match="No TypeSpec is compatible with both"):
        a.most_specific_compatible_type(other)


def test_values_are_taken_apart_and_put_together():
    spec, value = interval([1.0], [2.0])._type_spec, interval([1.0], [2.0])
    tensors = spec.to_tensors(value)
    assert [x.numpy().tolist() for x in tensors] == [[1.0], [2.0]]
    assert spec.flatten() == [spec.ends, spec.ends]
    assert spec.from_tensors(iter(tensors)).high is tensors[1]
    assert spec._from_tensor_list(tensors).low is tensors[0]
    with pytest.raises(ValueError, match="made of 2 tensors, got 1"):
        spec._from_tensor_list(tensors[:1])
    with pytest.raises(ValueError, match="is not compatible"):
        spec._from_tensor_list([tf.constant(1), tf.constant(2)])
    with pytest.raises(TypeError, match="Can not cast"):
        spec.cast(3.0, None)


def test_a_graph_for_unknown_lengths_serves_values_of_all_lengths():
    traced = []

    @tf.function(input_signature=[IntervalSpec(tf.TensorSpec([None]), True)])
    def width(x):
        traced.append(x.low.shape)
        return x.high - x.low

    assert width(interval([1.0], [3.0])).numpy().tolist() == [2.0]
    assert width(interval([1.0, 2.0], [3.0, 5.0])).numpy().tolist() == [2.0, 3.0]
    assert len(traced) == 1
    with pytest.raises(TypeError, match="Can not cast"):
        width(interval([1.0], [3.0], closed=False))


def test_another_kind_of_value_is_traced_again():
    traced = []

    @tf.function
    def width(x):
        traced.append(x.closed)
        return x.high - x.low

    for closed in (True, False, True):
        width(interval(1.0, 3.0, closed))
    assert traced == [True, False]


def test_sparse_arguments_of_any_shape_share_a_graph():
    traced = []

    @tf.function(input_signature=[tf.SparseTensorSpec([None, 3], tf.float32)])
    def doubled(x):
        traced.append(x.shape.as_list())
        return tf.sparse.to_dense(x * 2.0)

    assert doubled(tf.sparse.from_dense([[1.0, 0, 0]])).numpy().tolist() == [[2, 0, 0]]
    assert doubled(tf.sparse.from_dense([[0.0, 0, 0]] * 3)).shape.as_list() == [3, 3]
    assert traced == [[None, 3]]


def test_xla_knows_the_shapes_of_sparse_arguments():
    @tf.function(input_signature=[tf.SparseTensorSpec([None, 3], tf.float32)], jit_compile=True)
    def doubled(x):
        assert x.shape.is_fully_defined()
        return tf.sparse.to_dense(x * 2.0)

    assert doubled(tf.sparse.from_dense([[1.0, 0, 0]])).numpy().tolist() == [[2, 0, 0]]


def test_classes_are_registered_with_what_describes_them():
    class Length:
        def __init__(self, value):
            self.value = value

    with pytest.raises(TypeError, match="Could not build a TypeSpec"):
        tf.type_spec_from_value(Length(1.0))
    type_spec.register_type_spec_from_value_converter(Length, lambda x: tf.constant(x.value))
    with pytest.raises(TypeError, match="Could not build a TypeSpec"):
        tf.type_spec_from_value(type("Longer", (Length,), {})(1.0))
    type_spec.register_type_spec_from_value_converter(
        Length, lambda x: tf.TensorSpec([], tf.float32), allow_subclass=True
    )
    longer = type("Longer", (Length,), {})(1.0)
    assert tf.type_spec_from_value(longer) == tf.TensorSpec([], tf.float32)


def test_batches_of_specs():
    spec = tf.RaggedTensorSpec([2, None], tf.int32)
    assert spec._batch(5) == tf.RaggedTensorSpec([5, 2, None], tf.int32, 2)
    assert spec._unbatch() == tf.RaggedTensorSpec([None], tf.int32, 0)
    assert tf.SparseTensorSpec([2])._batch(None) == tf.SparseTensorSpec([None, 2])
    assert tf.TensorSpec([2])._batch(3) == tf.TensorSpec([3, 2])
    with pytest.raises(ValueError, match="rank >= 1"):
        tf.TensorSpec([])._unbatch()


def test_a_trace_type_that_is_a_subtype_shares_a_graph():
    class AtMost(tf.types.experimental.TraceType):
        """A number up to a bound: functions see the greatest one that they were traced for."""

        def __init__(self, bound):
            self.bound = bound

        def is_subtype_of(self, other):
            return type(other) is AtMost and self.bound <= other.bound

        def most_specific_common_supertype(self, others):
            return AtMost(max(self.bound, *(x.bound for x in others)))

        def placeholder_value(self, placeholder_context):
            return Size(self.bound)

        def __eq__(self, other):
            return type(other) is AtMost and self.bound == other.bound

        def __hash__(self):
            return hash(self.bound)

    class Size:
        def __init__(self, value):
            self.value = value

        def __tf_tracing_type__(self, context):
            return AtMost(self.value)

    assert isinstance(Size(1), tf.types.experimental.SupportsTracingProtocol)

    @tf.function
    def zeros(size):
        return tf.zeros([size.value])

    assert [zeros(Size(n)).shape[0] for n in (3, 2, 5)] == [3, 3, 5]
    assert zeros.experimental_get_tracing_count() == 2


class ScaledType(tf.types.experimental.TraceType):
    def __init__(self, spec, factor):
        self.spec, self.factor = spec, factor

    def is_subtype_of(self, other):
        return self == other

    def placeholder_value(self, placeholder_context):
        return Scaled(self.spec.placeholder_value(placeholder_context), self.factor)

    def flatten(self):
        return [self.spec]

    def to_tensors(self, value):
        return [value.tensor]

    def __eq__(self, other):
        return (self.spec, self.factor) == (other.spec, other.factor)

    def __hash__(self):
        return hash((self.spec, self.factor))


class Scaled:
    def __init__(self, tensor, factor):
        self.tensor, self.factor = tensor, factor

    def __tf_tracing_type__(self, context):
        return ScaledType(tf.type_spec_from_value(self.tensor), self.factor)


def test_a_trace_type_of_tensors_lets_gradients_through():
    @tf.function
    def total(x):
        return tf.reduce_sum(x.tensor**2) * x.factor

    values = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(values)
        out = total(Scaled(values, 3.0))
    assert tape.gradient(out, values).numpy().tolist() == [6.0, 12.0]
    assert float(total(Scaled(values, 2.0))) == 10.0


@pytest.mark.parametrize("kind", [tf.TypeSpec, tf.types.experimental.TraceType])
def test_the_base_classes_are_abstract(kind):
    with pytest.raises(TypeError, match="abstract"):
        kind()
