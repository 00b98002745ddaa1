"""Classes of several tensors that programs write."""

import copy
import pickle
from collections.abc import Mapping

import pytest

import gradtape as tf

from_slices = tf.data.Dataset.from_tensor_slices


class Masked(tf.experimental.ExtensionType):
    values: tf.Tensor
    mask: tf.Tensor
    name: str = "n"

    def __validate__(self):
        if self.values.shape != self.mask.shape:
            raise ValueError("shapes differ")


class Nested(tf.experimental.ExtensionType):
    inner: Masked
    parts: tuple[tf.Tensor, ...] = ()
    by_name: Mapping[str, tf.Tensor] = {}
    maybe: tf.Tensor | None = None
    dtype: tf.DType = tf.float32


class Doubled(tf.experimental.ExtensionType):
    a: tf.Tensor
    b: tf.Tensor

    def __init__(self, a, both=True):
        self.a = a
        if both:
            self.b = a * 2


class Row(tf.experimental.BatchableExtensionType):
    v: tf.Tensor


def test_fields():
    m = Masked([1.0, 2.0], [True, False])
    assert repr(tf.type_spec_from_value(m)) == (
        "Masked.Spec(values=TensorSpec(shape=(2,), dtype=tf.float32, name=None), "
        "mask=TensorSpec(shape=(2,), dtype=tf.bool, name=None), name='n')"
    )
    with pytest.raises(AttributeError, match="Cannot mutate attribute `values` outside"):
        m.values = 3
    with pytest.raises(TypeError, match="name: expected 'str', got 'int'"):
        Masked([1.0], [True], 3)
    with pytest.raises(TypeError, match="missing a required argument: 'mask'"):
        Masked([1.0])
    with pytest.raises(ValueError, match="shapes differ"):
        Masked([1.0], [True, False])
    with pytest.raises(ValueError, match="Missing required fields"):
        Doubled(tf.constant(1.0), both=False)
    assert bool(m == Masked([1.0, 2.0], [True, False]))
    assert bool(m != Masked([1.0, 3.0], [True, False]))
    assert float(Doubled(tf.constant(1.0)).b) == 2.0
    for same in (copy.deepcopy(m), pickle.loads(pickle.dumps(m))):
        assert bool(same == m)


def test_bad_classes():
    with pytest.raises(TypeError, match="In field 'x': Unsupported type annotation 'list'"):
        type("X", (tf.experimental.ExtensionType,), {"__annotations__": {"x": list}})
    with pytest.raises(ValueError, match="Field y is missing a type annotation"):
        type("X", (tf.experimental.ExtensionType,), {"y": 3})
    with pytest.raises(AssertionError, match="abstract base class"):
        tf.experimental.ExtensionType()


def test_nest_and_function():
    m = Masked([1.0, 2.0], [1.0, 0.0])
    n = Nested(m, parts=[3.0], by_name={"a": [4.0]}, dtype="int32")
    flat = tf.nest.flatten(n, expand_composites=True)
    assert [x.numpy().tolist() for x in flat] == [[1.0, 2.0], [1.0, 0.0], 3.0, [4.0]]
    assert tf.nest.flatten(n) == [n]
    assert bool(tf.nest.pack_sequence_as(n, flat, expand_composites=True) == n)

    traces = []

    @tf.function
    def plus(z):
        traces.append(z.name)
        return Masked(z.values + 1, z.mask, z.name)

    for name in ("n", "n", "o"):
        assert plus(Masked([1.0, 2.0], [1.0, 0.0], name)).name == name
    assert plus(m).values.numpy().tolist() == [2.0, 3.0]


def test_gradients_reach_the_fields():
    m = Masked([1.0, 2.0], [1.0, 0.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(m)
        y = tf.reduce_sum(Masked(m.values**2, m.mask).values)
    assert tape.gradient(y, m.values).numpy().tolist() == [2.0, 4.0]
    with pytest.raises(ValueError, match="Masked is not supported as a gradient source"):
        tape.gradient(y, m)


def test_rows():
    v = Row(tf.reshape(tf.range(6.0), (3, 2)))
    assert tf.vectorized_map(lambda e: tf.reduce_sum(e.v), v).numpy().tolist() == [1.0, 5.0, 9.0]
    assert tf.vectorized_map(lambda e: Row(e.v * 2), v).v.shape == (3, 2)
    spec = Row.Spec(tf.TensorSpec([2]))
    assert tf.map_fn(lambda e: Row(e.v * 2), v, fn_output_signature=spec).v.shape == (3, 2)
    batches = from_slices(v).batch(2)
    assert [b.v.shape[0] for b in batches] == [2, 1]
    assert batches.element_spec == Row.Spec(tf.TensorSpec([None, 2]))
    with pytest.raises(ValueError, match="BatchableExtensionType"):
        from_slices(Masked([1.0], [1.0]))
