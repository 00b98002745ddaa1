"""The common base of datasets: iterators, options, and no gradients."""

import numpy as np
import pytest

import gradtape as tf
from gradtape import data, errors
from gradtape._src.ops.types.specs import TensorSpec
from gradtape.data import Dataset

scalar = TensorSpec([], tf.int64)


def listed(dataset):
    """The elements, arrays as lists."""
    return [
        tf.nest.map_structure(
            lambda leaf: leaf.tolist() if isinstance(leaf, np.ndarray | np.generic) else leaf,
            element,
        )
        for element in dataset.as_numpy_iterator()
    ]


@pytest.mark.parametrize("number", [0, 2])
def test_what_is_no_single_element(number):
    with pytest.raises(errors.InvalidArgumentError, match=r"no elements|more than one element"):
        Dataset.range(number).get_single_element()


def test_as_an_object():
    dataset = Dataset.range(0)
    assert bool(dataset)
    assert dataset != Dataset.range(0)
    with pytest.raises(TypeError):
        next(dataset)
    with pytest.raises(TypeError):
        dataset[0]


def test_iterators():
    elements = iter(Dataset.range(1))
    assert isinstance(elements, data.Iterator)
    assert type(elements).__name__ == "OwnedIterator"
    assert iter(elements) is elements
    assert elements.element_spec == scalar
    assert int(elements.get_next()) == 0
    with pytest.raises(errors.OutOfRangeError, match="End of sequence"):
        elements.get_next()
    with pytest.raises(StopIteration):
        next(elements)
    arrays = Dataset.range(1).as_numpy_iterator()
    assert iter(arrays) is arrays
    assert next(arrays) == 0


def test_arrays_may_be_changed():
    dataset = Dataset.from_tensor_slices(np.zeros((1, 2))).cache()
    for array in (*dataset.as_numpy_iterator(), *dataset.as_numpy_iterator()):
        assert array.tolist() == [0, 0]
        array[:] = 1


def test_options():
    options = data.Options()
    options.deterministic = False
    options.threading.private_threadpool_size = 2
    options.experimental_distribute.auto_shard_policy = data.experimental.AutoShardPolicy.DATA
    dataset = Dataset.range(3).with_options(options).batch(2)
    assert dataset.options().deterministic is False
    assert dataset.options().threading.private_threadpool_size == 2
    assert dataset.with_options(data.Options()).options().deterministic is False
    assert listed(dataset) == [[0, 1], [2]]
    with pytest.raises(AttributeError, match="Cannot set the property foo on Options"):
        options.foo = 3


def test_a_dataset_stops_gradients():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        (element,) = Dataset.from_tensors(x * 3.0).map(lambda v: v * x)
        y = element * x
    assert float(y) == 24
    assert float(tape.gradient(y, x)) == 12
    with tf.GradientTape() as tape:
        (element,) = Dataset.from_tensors(x * 3.0)
    assert tape.gradient(element, x) is None


def test_functions_do_not_watch_variables():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        list(Dataset.range(2).map(lambda _: x * 2.0))
        total = Dataset.range(2).reduce(0.0, lambda s, _: s + x)
    assert float(total) == 4
    assert tape.watched_variables() == ()


def test_a_function_may_use_a_tape():
    def slope(v):
        with tf.GradientTape() as tape:
            tape.watch(v)
            y = v * v
        return tape.gradient(y, v)

    assert listed(Dataset.from_tensor_slices([1.0, 2.0]).map(slope)) == [2, 4]


def test_elements_are_fresh_tensors():
    dataset = Dataset.from_tensors(1.0).cache()
    (first,), (second,) = dataset, dataset
    assert first is not second
    with tf.GradientTape() as tape:
        tape.watch(first)
        y = second * 2.0
    assert tape.gradient(y, first) is None


def test_the_spec_of_an_iterator():
    numbers = tf.data.Dataset.range(3)
    spec = tf.data.IteratorSpec(tf.TensorSpec([], tf.int64))
    assert tf.type_spec_from_value(iter(numbers)) == spec
    assert tf.data.IteratorSpec.from_value(iter(numbers)) == spec
    assert hash(spec) == hash(tf.data.IteratorSpec(tf.TensorSpec([], tf.int64)))
    assert spec != tf.data.IteratorSpec(tf.TensorSpec([], tf.int32))
    assert repr(spec) == "IteratorSpec(TensorSpec(shape=(), dtype=tf.int64, name=None),)"
    assert spec.is_compatible_with(iter(numbers))
    assert isinstance(iter(numbers), spec.value_type)

    @tf.function
    def following(elements):
        return next(elements)

    concrete = following.get_concrete_function(spec)
    elements = iter(numbers)
    assert [int(concrete(elements)), int(following(elements)), int(next(elements))] == [0, 1, 2]


def test_composite_elements_as_arrays():
    sparse = Dataset.from_tensors(tf.sparse.from_dense([[1, 0], [0, 2]]))
    assert next(sparse.as_numpy_iterator()).tolist() == [[1, 0], [0, 2]]
    ragged = Dataset.from_tensors(tf.ragged.constant([[1], [2, 3]]))
    assert [row.tolist() for row in next(ragged.as_numpy_iterator())] == [[1], [2, 3]]
    with pytest.raises(TypeError, match="is not supported for datasets"):
        Dataset.range(4).window(2).as_numpy_iterator()
