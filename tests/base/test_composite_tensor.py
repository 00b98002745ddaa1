"""The base of values of several tensors, and a library's own class of them."""

import pytest

import gradtape as tf


class PairSpec(tf.TypeSpec):
    value_type = property(lambda self: Pair)

    def __init__(self, first, second, kind):
        self.specs, self.kind = {"first": first, "second": second}, kind

    def _to_components(self, value):
        return {"first": value.first, "second": value.second}

    def _from_components(self, components):
        return Pair(components["first"], components["second"], self.kind)

    def _serialize(self):
        return (*self.specs.values(), self.kind)

    @property
    def _component_specs(self):
        return self.specs


class Pair(tf.__internal__.CompositeTensor):
    def __init__(self, first, second, kind="sum"):
        self.first, self.second, self.kind = first, second, kind

    @property
    def _type_spec(self):
        specs = (tf.type_spec_from_value(x) for x in (self.first, self.second))
        return PairSpec(*specs, self.kind)

    def value(self):
        return self.first + self.second if self.kind == "sum" else self.first * self.second


def test_nest_takes_it_apart_where_asked_to():
    pair = Pair(tf.constant(2.0), tf.constant(3.0))
    assert tf.nest.flatten(pair) == [pair]
    assert [float(x) for x in tf.nest.flatten(pair, expand_composites=True)] == [2.0, 3.0]
    doubled = tf.nest.map_structure(lambda x: 2 * x, pair, expand_composites=True)
    assert type(doubled) is Pair
    assert float(doubled.value()) == 10.0


def test_functions_take_it_and_give_it():
    traces = []

    @tf.function
    def run(pair):
        traces.append(pair.kind)
        return pair.value(), Pair(pair.second, pair.first, pair.kind)

    for first in (2.0, 4.0):
        value, turned = run(Pair(tf.constant(first), tf.constant(3.0)))
        assert float(value) == first + 3
        assert type(turned) is Pair
        assert float(turned.second) == first
    assert traces == ["sum"]
    assert float(run(Pair(tf.constant(2.0), tf.constant(3.0), "product"))[0]) == 6.0
    assert traces == ["sum", "product"]
    assert "traced 2 times" in str(run.explain())


def test_gradients_flow_through_a_function_of_it():
    run = tf.function(lambda pair: pair.value())
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = run(Pair(x, 3 * x, "product"))
    assert float(tape.gradient(loss, x)) == pytest.approx(12.0)


def test_handles_of_state_count_as_composite_tensors_as_in_tensorflow():
    def counts(value):
        return isinstance(value, tf.__internal__.CompositeTensor)

    ones, dataset = tf.ones(3), tf.data.Dataset.range(2)
    ragged, rows = tf.ragged.constant([[1], []]), tf.IndexedSlices(tf.ones([1, 2]), [0])
    composite = [tf.Variable(1.0), dataset, iter(dataset), ragged, ragged.to_sparse(), rows]
    assert all(counts(x) for x in [*composite, Pair(ones, ones)])
    assert not any(counts(x) for x in [ones, 1.0, tf.TensorArray(tf.float32, 1), tf.Module()])
    assert not isinstance(ragged, Pair)
    assert tf.nest.flatten(composite[0], expand_composites=True) == [composite[0]]


def test_variables_have_specs_and_stay_whole():
    variable = tf.Variable([1.0, 2.0], trainable=False)
    assert variable._type_spec == tf.type_spec_from_value(variable)
    assert not variable._type_spec.trainable
    function = tf.function(lambda: variable)
    assert not isinstance(function(), tf.Variable)
    module = tf.Module()
    module.pair = Pair(tf.Variable(2.0), variable)
    assert [v.shape.rank for v in module.variables] == [0, 1]


def test_its_base_class_is_abstract():
    with pytest.raises(TypeError, match="abstract"):
        tf.__internal__.CompositeTensor()


def test_a_tape_watches_its_tensors():
    pair = Pair(tf.constant([2.0]), tf.constant(3.0))
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([pair])
        result = tf.reduce_sum(pair.first * pair.second)
    gradients = tape.gradient(result, [pair.first, pair.second])
    assert [float(tf.reduce_sum(g)) for g in gradients] == [3.0, 2.0]
    with pytest.raises(ValueError, match="Pair is not supported as a gradient source"):
        tape.gradient(result, pair)
